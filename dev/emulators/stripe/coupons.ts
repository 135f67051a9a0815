import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { type EnteredDiscount, findEntered, months, toDuration } from '../core/domain/accounts.ts'
import { withoutDiscount } from '../core/domain/amounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { countRedemptions } from '../core/domain/pages.ts'
import type { SubscriptionRecord, Terms } from '../core/domain/selling-records.ts'
import { nextPeriodEnd } from '../core/periods.ts'
import { text } from '../core/wire/form-fields.ts'
import { read } from '../core/wire/routes.ts'
import { refused } from './errors.ts'
import { productId } from './objects/selling.ts'
import { complete } from './objects/wire.ts'

/*
 * Coupons: docs.stripe.com/api/coupons/object. Those of the paywall files exist, made by their owners in the dashboard.
 */

const Coupon = z.object({
  percent_off: z.number().gt(0).max(100).nullable().default(null),
  amount_off: z.int().positive().nullable().default(null),
  currency: z.string().nullable().default(null),
  duration: z.enum(['once', 'repeating', 'forever']),
  duration_in_months: z.int().positive().nullable().default(null),
  /** The products that it applies to; null: all. */
  products: z.array(z.string()).nullable().default(null),
  valid: z.boolean().default(true),
  max_redemptions: z.int().positive().nullable().default(null),
  /** A unix time in seconds. */
  redeem_by: z.int().nullable().default(null),
})
type Coupon = z.output<typeof Coupon>

/** The account's coupons besides those of the paywall files, or instead of them; null: deleted. */
export const COUPONS = accountSetting('coupons', z.record(z.string(), Coupon.nullable()), {})

/** The coupon that an owner makes for an offer. Months are the only unit of a repeating one. */
function couponFor({ percent, amount, currency, lasts }: EnteredDiscount): Coupon {
  return {
    percent_off: percent,
    amount_off: amount,
    currency,
    products: null,
    valid: true,
    max_redemptions: null,
    redeem_by: null,
    ...toDuration(lasts),
  }
}

/**
 * Throws Stripe's error if the account has no such coupon. `max_redemptions`: "Maximum number of times this coupon can be redeemed, in total,
 * across all customers, before it is no longer valid"; `redeem_by`: "Date after which the coupon can no longer be redeemed" (`Coupon` of the
 * SDK). That a page counts once it is paid is UNVERIFIED.
 */
function findCoupon(context: AccountContext, id: string, param?: string): Coupon & { times_redeemed: number } {
  const { [id]: made } = COUPONS.read(context)
  const entered = findEntered(context.account, id)
  const coupon = made === undefined ? entered && couponFor(entered) : made
  if (!coupon) throw context.noSuch('coupons', id, param)
  const { valid, max_redemptions: max, redeem_by: last } = coupon
  const times_redeemed = countRedemptions(context, id)
  const isRedeemable = (max === null || times_redeemed < max) && (last === null || context.now <= last)
  return { ...coupon, times_redeemed, valid: valid && isRedeemable }
}

/** Stripe shows `applies_to` only with `expand`. */
function couponObject(context: AccountContext, id: string) {
  const { products: _products, ...coupon } = findCoupon(context, id)
  return complete('coupon', { ...coupon, id, created: context.now })
}

/** The products that a coupon applies to, for `expand`; null: it applies to all, and Stripe leaves the field out. */
export function couponProducts(context: AccountContext, id: string): { products: string[] } | null {
  const { products } = findCoupon(context, id)
  return products && { products }
}

/** In the parameters of a session: at most one. */
export const discounts = z
  .tuple([z.strictObject({ coupon: text() })], 'You can only apply one discount to a Checkout Session.')
  .nullable()
  .default(null)

/**
 * The terms of a page with a coupon. Coupons with an amount and no end are refused since API version 2025-03-31
 * (docs.stripe.com/changelog/basil/2025-03-31/restrict-coupon-duration); the messages of that and of an invalid coupon are UNVERIFIED.
 */
export function applyCoupon(
  context: AccountContext,
  terms: Terms,
  given: z.output<typeof discounts>,
  page: Page,
): Terms {
  if (given === null) return terms
  const param = 'discounts[0][coupon]'
  const { percent_off, amount_off, currency, duration, duration_in_months, products, valid } = findCoupon(
    context,
    given[0].coupon,
    param,
  )
  if (!valid) throw refused('coupon_expired', { coupon: given[0].coupon, param })
  if (amount_off !== null && duration === 'forever') throw refused('amount_off_for_ever', { param })
  if (amount_off !== null && currency !== page.currency) throw refused('coupon_currency', { param })
  if (products !== null && !products.includes(page.product)) throw refused('coupon_applies_to_nothing', { param })
  return {
    ...terms,
    percentOff: percent_off ?? 0,
    ...(amount_off !== null && { amountOff: amount_off }),
    ...(duration === 'once' && { lasts: 'once' }),
    ...(duration === 'repeating' && duration_in_months !== null && { lasts: months(duration_in_months) }),
  }
}

/** In the parameters of an update: at most one here. They replace those that the subscription has. */
export const subscriptionDiscounts = z.tuple([z.strictObject({ coupon: text() })]).optional()

/**
 * Discounts a subscription: from its next invoice (docs.stripe.com/billing/subscriptions/coupons). The months of a repeating coupon count from
 * now. Stripe takes the coupon off prorations before the next invoice, too, which the emulator does not.
 */
export function discountSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  given: z.output<typeof discounts>,
): void {
  const { price, terms } = subscription
  subscription.terms = applyCoupon(context, withoutDiscount(terms), given, {
    currency: price.currency,
    product: productId(price),
  })
  subscription.coupon = given?.[0].coupon ?? null
  subscription.discountFrom = subscription.periodEnd
  const { lasts } = subscription.terms
  // An invoice at the very end has the discount, too: that is UNVERIFIED, and takes an acceptance in the second of a renewal.
  if (typeof lasts === 'object') subscription.discountUntil = nextPeriodEnd(context.now, lasts, context.now) + 1
}

/** What is sold on the page. */
interface Page {
  currency: string
  product: string
}

export const COUPON_ROUTES = [read('/v1/coupons/:id', couponObject)]
