// Discounts a running subscription at Freemius, by the product's cancellation coupon: PUT of a subscription with its `coupon_id`
// (`subscriptions/update` in the official SDK's types, and its `applyRenewalCoupon`). What Freemius does with it:
// freemius.com/help/documentation/marketing-automation/special-coupons-discounts.
import { monthsLater } from '../later.ts'
import { ProcessorError } from '../processor.ts'
import { RestError } from '../rest.ts'
import { type FreemiusApi, parse, rejected, segment } from './api.ts'
import { findCancellationCoupon } from './coupon.ts'
import { DiscountableSubscription, DiscountedSubscription, DiscountedSubscriptions, License } from './objects.ts'

/**
 * See `ProcessorMethods.discountSubscription`. Freemius gives a licence one such discount, so it is this attempt's only if it was given in
 * the current period. With PayPal it takes off 16 % of the next payment at most, and nothing shortly before it, so a subscription that is
 * paid by PayPal gets none here.
 */
export async function discountSubscription(
  api: FreemiusApi,
  { subscriptionId: licenseId, discount: code }: { subscriptionId: string; discount?: string },
): Promise<'discounted' | null> {
  const coupon = code === undefined ? null : await findCancellationCoupon(api, code)
  if (!coupon) throw rejected('the coupon is not the cancellation coupon of the product')
  const license = await api.find(`licenses/${segment(licenseId)}.json`, License)
  const subscription = await api.find(`licenses/${segment(licenseId)}/subscription.json`, DiscountableSubscription)
  if (!license?.user_id || !subscription) throw rejected('no such licence with a subscription')
  const readGiven = () => findGiven(api, { userId: license.user_id ?? '', licenseId })
  const since = periodStart(subscription)
  const isOurs = ({ coupon_id: id, created }: Given) => id === coupon.coupon_id && since !== null && created >= since
  const given = await readGiven()
  if (given) return given.some(isOurs) ? 'discounted' : null
  if (subscription.canceled_at || subscription.gateway === 'paypal' || isReduced(subscription)) return null
  try {
    const reply = await api.ask('PUT', `subscriptions/${segment(subscription.id)}.json`, {
      coupon_id: Number(coupon.coupon_id),
    })
    if (parse(DiscountedSubscription, reply).has_subscription_cancellation_discount) return 'discounted'
  } catch (error) {
    if (!(error instanceof RestError && error.kind === 'rejected')) throw error
    // A concurrent call may have been first.
    if ((await readGiven())?.some(isOurs)) return 'discounted'
    throw error
  }
  throw new ProcessorError('freemius', 'unavailable', 'the subscription has no discount', { answered: true })
}

/** A cancellation coupon that a subscription was given. */
interface Given {
  coupon_id: string
  created: Date
}

/**
 * The earliest time at which this attempt to discount the subscription can have begun, since a use is held for its period. A coupon of an
 * earlier period may be used up. Null if the subscription is not charged again.
 */
const periodStart = ({ next_payment: end, billing_cycle: months }: DiscountableSubscription): Date | null =>
  end ? monthsLater(end, -months, end.getUTCDate()) : null

/**
 * The cancellation coupons that the licence's subscriptions were given; null: none. The latest subscription may not be the one that has
 * it.
 */
async function findGiven(
  { list }: FreemiusApi,
  { userId, licenseId }: { userId: string; licenseId: string },
): Promise<Given[] | null> {
  const path = `users/${segment(userId)}/subscriptions.json`
  const rows = await list(path, readDiscounts, { enrich_with_cancellation_discounts: 'true' })
  const given = rows.filter(({ license_id, isGiven }) => license_id === licenseId && isGiven)
  return given.length === 0 ? null : given.flatMap(({ coupons }) => coupons)
}

function readDiscounts(reply: unknown) {
  const { subscriptions, discounts } = parse(DiscountedSubscriptions, reply)
  return subscriptions.map(({ id, license_id, has_subscription_cancellation_discount: has }) => ({
    license_id,
    isGiven: has === true,
    coupons: (discounts[id] ?? []).flatMap(({ type, coupon_id, created }): Given[] =>
      type === 'subscription_cancellation' && coupon_id != null && created ? [{ coupon_id, created }] : [],
    ),
  }))
}

/** Whether another coupon reduces the renewals. */
const isReduced = ({ renewal_amount: renewal, amount_per_cycle: price }: DiscountableSubscription) =>
  renewal != null && price != null && renewal < price
