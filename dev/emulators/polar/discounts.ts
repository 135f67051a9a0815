import type { models } from '@polar-sh/sdk/2026-10'
import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { type EnteredDiscount, findEntered, months, toDuration } from '../core/domain/accounts.ts'
import { hasDiscount, withoutDiscount } from '../core/domain/amounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import { countRedemptions } from '../core/domain/pages.ts'
import type { SoldPrice, SubscriptionRecord, Terms } from '../core/domain/selling-records.ts'
import { change } from '../core/domain/subscriptions.ts'
import { read } from '../core/wire/routes.ts'
import { toUuid } from './accounts.ts'
import { invalid } from './errors.ts'
import { since } from './objects/wire.ts'

/*
 * Discounts: server/polar/models/discount.py. Those of the paywall files exist, made by their owners in the dashboard.
 */

const Discount = z.object({
  /** In hundredths of a percent; null: an amount. */
  basis_points: z.int().min(1).max(10_000).nullable().default(null),
  /** The amounts that it takes off, by currency. */
  amounts: z.record(z.string(), z.int()).default({}),
  duration: z.enum(['once', 'repeating', 'forever']),
  duration_in_months: z.int().positive().nullable().default(null),
  /** The products that it applies to; empty: all. */
  products: z.array(z.string()).default([]),
  max_redemptions: z.int().positive().nullable().default(null),
  starts_at: z.iso.datetime().nullable().default(null),
  ends_at: z.iso.datetime().nullable().default(null),
})
type Discount = z.output<typeof Discount>

/** The account's discounts besides those of the paywall files, or instead of them; null: deleted. */
export const DISCOUNTS = accountSetting('discounts', z.record(z.string(), Discount.nullable()), {})

/** The discount that an owner makes for an offer. */
function discountFor({ percent, amount, currency, lasts }: EnteredDiscount): Discount {
  return {
    basis_points: percent === null ? null : percent * 100,
    amounts: amount === null || currency === null ? {} : { [currency]: amount },
    products: [],
    max_redemptions: null,
    starts_at: null,
    ends_at: null,
    ...toDuration(lasts),
  }
}

function findDiscount(context: AccountContext, id: string): Discount | null {
  const { [id]: made } = DISCOUNTS.read(context)
  const entered = findEntered(context.account, id)
  return made === undefined ? (entered ? discountFor(entered) : null) : made
}

/**
 * The terms of a checkout with a discount. Polar refuses one that does not exist or does not apply to the product and the currency
 * (`_get_validated_discount` in server/polar/checkout/service.py, `is_applicable`), has been redeemed `max_redemptions` times, or has not
 * started or has ended. That a page counts once it is paid is UNVERIFIED. The discount's duration starts with the first period after a
 * trial: `cycle` in server/polar/subscription/service.py sets `discount_applied_at` on its first use.
 */
export function applyDiscount(context: AccountContext, terms: Terms, id: string | null, price: SoldPrice): Terms {
  if (id === null) return terms
  const discount = findDiscount(context, id)
  const amount = discount?.amounts[price.currency] ?? null
  const applies =
    discount &&
    (discount.basis_points !== null || amount !== null) &&
    isRedeemable(context, id, discount) &&
    (discount.products.length === 0 || discount.products.includes(price.id))
  if (!applies) throw invalid(['body', 'discount_id'], 'Discount does not exist.', id)
  const { basis_points: points, duration, duration_in_months: count } = discount
  return {
    ...terms,
    percentOff: (points ?? 0) / 100,
    ...(amount !== null && { amountOff: amount }),
    ...(duration === 'once' && { lasts: 'once' }),
    ...(duration === 'repeating' && count !== null && { lasts: months(count) }),
    lastsAfterTrial: true,
  }
}

/** `is_redeemable_discount` in server/polar/discount/service.py. */
function isRedeemable(context: AccountContext, id: string, { starts_at, ends_at, max_redemptions }: Discount): boolean {
  const now = context.now * 1000
  if (starts_at !== null && Date.parse(starts_at) > now) return false
  if (ends_at !== null && Date.parse(ends_at) < now) return false
  return max_redemptions === null || countRedemptions(context, id) < max_redemptions
}

/**
 * Discounts a subscription from its next period. Polar refuses the discount that it has already, and one that does not apply
 * (`resolve_discount` in server/polar/subscription/service.py).
 */
export function discountSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  id: string,
): SubscriptionRecord {
  if (hasDiscount(subscription) && subscription.coupon === id) {
    throw invalid(['body', 'discount_id'], 'This discount is already applied to the subscription.', id)
  }
  return change(context, subscription, () => {
    subscription.terms = applyDiscount(context, withoutDiscount(subscription.terms), id, subscription.price)
    subscription.coupon = id
    subscription.discountFrom = subscription.periodEnd
  })
}

/** The discount of a subscription; null: none. */
export function toDiscount(context: AccountContext, subscription: SubscriptionRecord): models.Subscription['discount'] {
  if (subscription.coupon === null || !hasDiscount(subscription)) return null
  const { products: _products, ...shown } = discountObject(context, subscription.coupon)
  return {
    ...since(subscription.created),
    ...shown,
    metadata: {},
    code: null,
    organization_id: toUuid('organization'),
    redemptions_count: 0,
  } as unknown as models.Subscription['discount']
}

/** A discount as Polar shows it; `amounts` only of one that takes off an amount. */
function discountObject(context: AccountContext, id: string) {
  const discount = findDiscount(context, id)
  if (!discount) throw context.noSuch('coupons', id)
  const { basis_points, amounts, duration, duration_in_months, products, max_redemptions, starts_at, ends_at } =
    discount
  return {
    id,
    name: 'Offer',
    type: basis_points === null ? 'fixed' : 'percentage',
    ...(basis_points === null ? { amounts } : { basis_points }),
    duration,
    ...(duration === 'repeating' && { duration_in_months }),
    products: products.map((product) => ({ id: product })),
    max_redemptions,
    redemptions_count: countRedemptions(context, id),
    starts_at,
    ends_at,
  }
}

export const DISCOUNT_ROUTES = [read('/v1/discounts/:id', discountObject)]
