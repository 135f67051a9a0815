import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { TERMS } from '../core/controls/terms.ts'
import type { EnteredDiscount } from '../core/domain/accounts.ts'
import { withoutDiscount } from '../core/domain/amounts.ts'
import { type AccountContext, newestFirst } from '../core/domain/context.ts'
import { customerAt } from '../core/domain/customers.ts'
import type { PageRecord, SoldPrice, SubscriptionRecord, Terms } from '../core/domain/selling-records.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { badRequest } from './errors.ts'
import { findLicense } from './objects/license.ts'
import { Currency, couponId, dateTime, decimal, parsePrice, toCurrency } from './objects/wire.ts'
import { licenseOwn } from './own.ts'

/*
 * Coupons: `Coupon` of the SDK's OpenAPI document. Those of the paywall files exist, made by their owners in the dashboard.
 */

const Coupon = z.object({
  discount: z.number(),
  discount_type: z.enum(['percentage', 'dollar']).default('percentage'),
  discounts: z.partialRecord(Currency, z.number()).default({}),
  has_renewals_discount: z.boolean().default(false),
  plans: z.string().nullable().default(null),
  billing_cycles: z.string().nullable().default(null),
  licenses: z.string().nullable().default(null),
  user_type: z.enum(['all', 'new', 'current', 'previous', 'customer', 'migrated']).default('all'),
  is_active: z.boolean().default(true),
  start_date: z.string().default('2025-01-01 00:00:00'),
  end_date: z.string().default('2099-01-01 00:00:00'),
  redemptions: z.int().default(0),
  redemptions_limit: z.int().nullable().default(null),
  is_one_per_user: z.boolean().default(false),
  /** Whether the owner has set it as the product's coupon for subscribers who cancel. */
  isToStay: z.boolean().default(false),
})
type Coupon = z.output<typeof Coupon>

/** The product's coupons by code, besides those of the paywall files, or instead of them; null: there is none. */
export const COUPONS = accountSetting('coupons', z.record(z.string(), Coupon.nullable()), {})

/** The coupon that an owner makes for an offer. */
function couponFor({ percent, amount, currency, lasts, isToStay }: EnteredDiscount): Coupon {
  const common = { has_renewals_discount: lasts === 'forever', isToStay }
  if (percent !== null) return Coupon.parse({ discount: percent, ...common })
  const discount = decimal(amount ?? 0)
  const discounts = currency === null ? {} : { [toCurrency(currency)]: discount }
  return Coupon.parse({ discount, discount_type: 'dollar', discounts, ...common })
}

function allCoupons(context: AccountContext): [code: string, Coupon][] {
  const entered = context.account.paywalls.flatMap(({ discounts = [] }) => discounts)
  const made = Object.entries(COUPONS.read(context))
  const codes = new Set(made.map(([code]) => code))
  return [
    ...entered.filter(({ id }) => !codes.has(id)).map((each): [string, Coupon] => [each.id, couponFor(each)]),
    ...made.flatMap(([code, coupon]): [string, Coupon][] => (coupon ? [[code, coupon]] : [])),
  ]
}

interface Search {
  code?: string | undefined
  is_enriched?: string | undefined
}

/** "Coupons will only be enriched if no filtering is used." That a code is compared by case is UNVERIFIED. */
export function listCoupons(context: AccountContext, { code, is_enriched: enriched }: Search) {
  return allCoupons(context)
    .filter(([each]) => code === undefined || each === code)
    .map(([each, { discounts, isToStay: _, ...coupon }]) => {
      const shown = {
        id: couponId(each),
        created: dateTime(context.now),
        updated: null,
        entity_id: context.account.id,
        entity_type: 'plugin',
        code: each,
        ...coupon,
        redemptions: countRedemptions(context, each, coupon),
        has_addons_discount: false,
        source: 0,
      }
      return enriched === 'true' && code === undefined ? { ...shown, discounts } : shown
    })
}

/**
 * The terms of a page whose link has a coupon: "automatically applied on the checkout immediately when opened" (`CheckoutPopupOptions` of
 * @freemius/checkout). What happens to a coupon that does not apply is UNVERIFIED: here the page charges the whole price.
 */
export function couponTerms(
  context: AccountContext,
  { coupon: code, user_email: email }: Given,
  price: SoldPrice,
): Terms {
  const terms = TERMS.read(context)
  const [, coupon] = allCoupons(context).find(([each]) => each === code) ?? []
  if (code === undefined || !coupon || !isApplicable(coupon, price, context.now)) return terms
  const { redemptions_limit: limit, is_one_per_user: once } = coupon
  if (limit !== null && countRedemptions(context, code, coupon) >= limit) return terms
  const user = email === undefined ? null : (customerAt(context, email)?.id ?? null)
  if (once && user !== null && soldWith(context, code).some(({ customer }) => customer === user)) return terms
  return reduce(terms, coupon, price)
}

/** What a link has of the coupon, and of the user who opens it. */
interface Given {
  coupon?: string | undefined
  user_email?: string | undefined
}

/** The licences that were sold with a coupon. That one with a trial counts at once is UNVERIFIED. */
const soldWith = (context: AccountContext, code: string): PageRecord[] =>
  newestFirst(context, 'pages', { status: 'complete' }).filter(
    ({ coupon, terms }) => coupon === code && terms.percentOff + (terms.amountOff ?? 0) > 0,
  )

/** "The total number of redemptions of this coupon": those that a test has set, and those since. */
const countRedemptions = (context: AccountContext, code: string, { redemptions }: Pick<Coupon, 'redemptions'>) =>
  redemptions + soldWith(context, code).length

function reduce(terms: Terms, coupon: Coupon, price: SoldPrice): Terms {
  const { discount, discount_type: type, discounts, has_renewals_discount: renews } = coupon
  const lasts = !renews && { lasts: 'once' as const }
  if (type === 'percentage') return { ...terms, percentOff: discount, ...lasts }
  return {
    ...terms,
    percentOff: 0,
    amountOff: Math.round((discounts[toCurrency(price.currency)] ?? 0) * 100),
    ...lasts,
  }
}

/**
 * `coupons/special` of the SDK's OpenAPI document: the coupons that the owner has set for a purpose, of which there is one here. They are
 * always enriched.
 */
export function listSpecialCoupons(context: AccountContext, { type }: { type?: string | undefined }) {
  const isWanted = type === undefined || type === TO_STAY
  return allCoupons(context)
    .filter(([, { isToStay }]) => isToStay && isWanted)
    .map(([code, coupon]) => {
      const { discount, discount_type, discounts, has_renewals_discount, redemptions } = coupon
      const link = { id: couponId(`special ${code}`), created: dateTime(context.now), updated: null, type: TO_STAY }
      const entity = { coupon_id: Number(couponId(code)), entity_id: context.account.id, entity_type: 2 }
      return { ...link, ...entity, code, redemptions, discount, discount_type, discounts, has_renewals_discount }
    })
}

const TO_STAY = 'subscription_cancellation'

/**
 * Discounts a subscription by the product's cancellation coupon: `subscriptions/update` of the SDK's OpenAPI document. The coupon "must be set
 * as a special Cancellation Coupon". It "can only be applied once per license", on the next renewal or on all; "the redemptions limit, plans,
 * licenses, and billing cycles are all ignored" (freemius.com/help/documentation/marketing-automation/special-coupons-discounts). The errors
 * are UNVERIFIED. PayPal, for which it takes off less, is not emulated.
 */
export function discountSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  { coupon_id: id }: { coupon_id: number },
): SubscriptionRecord {
  const [code, coupon] = allCoupons(context).find(([each]) => couponId(each) === String(id)) ?? []
  if (!code || !coupon?.isToStay) throw badRequest(`The coupon ${id} is not a cancellation coupon.`)
  if (hasEnded(subscription) || subscription.canceledAt !== null) throw badRequest('The subscription is cancelled.')
  const license = findLicense(subscription, context)
  if (licenseOwn(license).stayed) throw badRequest('The license has had a cancellation discount.')
  license.own = { ...license.own, stayed: { subscription: subscription.id, code, at: context.now } }
  subscription.terms = reduce(withoutDiscount(subscription.terms), coupon, subscription.price)
  subscription.discountFrom = subscription.periodEnd
  return subscription
}

/** What a list of subscriptions has in addition if it is enriched with cancellation discounts. */
export function cancellationDiscounts(context: AccountContext, subscriptions: SubscriptionRecord[]) {
  const given = subscriptions.flatMap((subscription) => {
    const { stayed } = licenseOwn(findLicense(subscription, context))
    return stayed?.subscription === subscription.id ? [{ id: subscription.id, ...stayed }] : []
  })
  const toDiscount = (code: string, at: number) => ({
    id: couponId(`discount ${code}`),
    created: dateTime(at),
    updated: null,
    entity_type: 'subscription',
    type: TO_STAY,
    coupon_id: couponId(code),
  })
  return Object.fromEntries(given.map(({ id, code, at }) => [id, [{ entity_id: id, ...toDiscount(code, at) }]]))
}

const CYCLES = { month: '1', year: '12' }

function isApplicable(coupon: Coupon, price: SoldPrice, now: number): boolean {
  const { is_active, plans, billing_cycles, start_date, end_date } = coupon
  const today = dateTime(now)
  const cycle = price.interval === 'month' || price.interval === 'year' ? CYCLES[price.interval] : '0'
  return (
    is_active &&
    start_date <= today &&
    today < end_date &&
    (plans === null || plans.split(',').includes(parsePrice(price).plan_id)) &&
    (billing_cycles === null || billing_cycles.split(',').includes(cycle))
  )
}
