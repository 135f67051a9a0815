import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { type EnteredDiscount, findEntered } from '../core/domain/accounts.ts'
import { withoutDiscount } from '../core/domain/amounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { countRedemptions } from '../core/domain/pages.ts'
import type { SoldPrice, SubscriptionRecord, Terms } from '../core/domain/selling-records.ts'
import { change } from '../core/domain/subscriptions.ts'
import { type Route, read } from '../core/wire/routes.ts'
import { wrongValue } from './errors.ts'
import { complete, content } from './objects/wire.ts'

/*
 * Coupons: apidocs.chargebee.com/docs/api/coupons/coupon-object. Those of the paywall files exist, made by their owners in the dashboard.
 */

const itemType = z.enum(['plan', 'addon', 'charge'])

const Coupon = z.object({
  status: z.enum(['active', 'expired', 'archived', 'deleted', 'future']).default('active'),
  discount_type: z.enum(['percentage', 'fixed_amount', 'offer_quantity']).default('percentage'),
  discount_percentage: z.number().min(0.01).max(100).exactOptional(),
  discount_amount: z.int().min(0).exactOptional(),
  currency_code: z.string().exactOptional(),
  duration_type: z.enum(['one_time', 'forever', 'limited_period']),
  period: z.int().min(1).exactOptional(),
  period_unit: z.enum(['day', 'week', 'month', 'year']).exactOptional(),
  apply_on: z.enum(['invoice_amount', 'each_specified_item']).default('invoice_amount'),
  /** Only of one that applies to each specified item. */
  item_constraints: z
    .array(
      z.object({
        item_type: itemType,
        constraint: z.enum(['none', 'all', 'specific', 'criteria']),
        item_price_ids: z.array(z.string()).exactOptional(),
      }),
    )
    .exactOptional(),
  max_redemptions: z.int().min(1).exactOptional(),
  redemptions: z.int().min(0).default(0),
  /** Unix times in seconds. */
  valid_from: z.int().exactOptional(),
  valid_till: z.int().exactOptional(),
  coupon_constraints: z
    .array(
      z.object({
        entity_type: z.literal('customer'),
        type: z.enum(['max_redemptions', 'unique_by', 'existing_customer', 'new_customer']),
        value: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
})
type Coupon = z.output<typeof Coupon>

/** The site's coupons besides those of the paywall files, or instead of them; null: there is none. */
export const COUPONS = accountSetting('coupons', z.record(z.string(), Coupon.nullable()), {})

/** The coupon that an owner makes for an offer. */
function couponFor({ percent, amount, currency, lasts }: EnteredDiscount): Coupon {
  const off =
    percent !== null
      ? { discount_type: 'percentage' as const, discount_percentage: percent }
      : { discount_type: 'fixed_amount' as const, discount_amount: amount ?? 0, currency_code: currency ?? '' }
  const common = { ...off, status: 'active' as const, apply_on: 'invoice_amount' as const, redemptions: 0 }
  if (lasts === 'forever') return { ...common, duration_type: 'forever' }
  if (lasts === 'once' || lasts.periods === 1) return { ...common, duration_type: 'one_time' }
  const { periods, interval, intervalCount } = lasts
  return { ...common, duration_type: 'limited_period', period: periods * intervalCount, period_unit: interval }
}

/** Throws Chargebee's error if the site has no such coupon. */
function findCoupon(context: AccountContext, id: string, param?: string): Coupon {
  const { [id]: made } = COUPONS.read(context)
  const entered = findEntered(context.account, id)
  const coupon = made === undefined ? entered && couponFor(entered) : made
  if (!coupon) throw context.noSuch('coupons', id, param)
  return counted(context, id, coupon)
}

/**
 * "A coupon may expire due to exceeding max_redemptions. Existing associations remain unaffected" (`status` in the types of
 * chargebee-typescript). `valid_till` is "the date until which the coupon can be applied to new subscriptions"
 * (chargebee.com/docs/billing/2.0/reports-and-analytics/standard-coupons). That a page counts once it is paid, and an open page stays payable, is UNVERIFIED.
 */
function counted(context: AccountContext, id: string, coupon: Coupon): Coupon {
  const redemptions = coupon.redemptions + countRedemptions(context, id)
  const { status, max_redemptions: max = Number.POSITIVE_INFINITY, valid_from: start = 0 } = coupon
  const { valid_till: end = Number.POSITIVE_INFINITY } = coupon
  if (status !== 'active') return { ...coupon, redemptions }
  const isOver = redemptions >= max || context.now >= end
  return { ...coupon, redemptions, status: isOver ? 'expired' : start > context.now ? 'future' : 'active' }
}

/**
 * The terms of a page with a coupon. "The coupon stays attached to the subscription till it is applied on an invoice once", or "for a
 * limited duration", which "starts from the point it is applied to an invoice for the first time": a trial has none. That an invoice at the
 * very end of the duration is not reduced is UNVERIFIED, and so are the errors of coupons that do not apply.
 */
export function applyCoupon(context: AccountContext, terms: Terms, id: string | undefined, price: SoldPrice): Terms {
  if (id === undefined) return terms
  const param = 'coupon_ids[0]'
  const coupon = findCoupon(context, id, param)
  const { status, currency_code: currency, discount_amount: amount } = coupon
  if (status !== 'active') throw wrongValue(param, `the coupon ${id} is ${status}`)
  if (currency !== undefined && currency !== price.currency)
    throw wrongValue(param, `${id} is not in ${price.currency}`)
  if (!applies(coupon, price)) throw wrongValue(param, `the coupon ${id} is not applicable to ${price.id}`)
  const { discount_percentage: percent = 0, duration_type: duration, period, period_unit: interval } = coupon
  return {
    ...terms,
    percentOff: percent,
    ...(amount !== undefined && { amountOff: amount }),
    ...(duration === 'one_time' && { lasts: 'once' }),
    ...(duration === 'limited_period' && period && interval && { lasts: { interval, intervalCount: period } }),
    lastsAfterTrial: true,
  }
}

/**
 * Gives a subscription a coupon instead of those that it has. "The coupon is attached to the subscription immediately but is applied only to
 * the next invoice" (chargebee.com/docs/billing/2.0/kb/product-catalog/why-doesnt-my-fixed-rate-coupon-apply-during-subscription-edits). It
 * would be taken off the invoice of a change of plan before that, too, which the emulator does not.
 */
export function discountSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  id: string,
): SubscriptionRecord {
  return change(context, subscription, () => {
    subscription.terms = applyCoupon(context, withoutDiscount(subscription.terms), id, subscription.price)
    subscription.coupon = id
    subscription.discountFrom = subscription.periodEnd
    subscription.scheduled = null
  })
}

function applies({ apply_on: on, item_constraints: constraints = [] }: Coupon, { id, interval }: SoldPrice): boolean {
  if (on === 'invoice_amount') return true
  const type = interval === null ? 'charge' : 'plan'
  const items = constraints.find(({ item_type }) => item_type === type)
  return items?.constraint === 'all' || (items?.constraint === 'specific' && !!items.item_price_ids?.includes(id))
}

function couponObject(context: AccountContext, id: string) {
  return content(complete('coupon', { ...findCoupon(context, id), id, name: id, created_at: context.now }))
}

export const COUPON_ROUTES: Route[] = [read('/coupons/:id', couponObject)]
