import { hash } from 'node:crypto'
import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { TERMS } from '../core/controls/terms.ts'
import type { EnteredDiscount } from '../core/domain/accounts.ts'
import type { AccountContext } from '../core/domain/context.ts'
import type { SoldPrice, Terms } from '../core/domain/selling-records.ts'
import { Currency, dateTime, decimal, parsePrice, toCurrency } from './objects/wire.ts'

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
})
type Coupon = z.output<typeof Coupon>

/** The product's coupons by code, besides those of the paywall files, or instead of them; null: there is none. */
export const COUPONS = accountSetting('coupons', z.record(z.string(), Coupon.nullable()), {})

/** The coupon that an owner makes for an offer. */
function couponFor({ percent, amount, currency, lasts }: EnteredDiscount): Coupon {
  const has_renewals_discount = lasts === 'forever'
  if (percent !== null) return Coupon.parse({ discount: percent, has_renewals_discount })
  const discount = decimal(amount ?? 0)
  const discounts = currency === null ? {} : { [toCurrency(currency)]: discount }
  return Coupon.parse({ discount, discount_type: 'dollar', discounts, has_renewals_discount })
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

/** A coupon's id, a number derived from its code. */
export const couponId = (code: string) => String(Number.parseInt(hash('sha256', code).slice(0, 8), 16))

interface Search {
  code?: string | undefined
  is_enriched?: string | undefined
}

/** "Coupons will only be enriched if no filtering is used." That a code is compared by case is UNVERIFIED. */
export function listCoupons(context: AccountContext, { code, is_enriched: enriched }: Search) {
  return allCoupons(context)
    .filter(([each]) => code === undefined || each === code)
    .map(([each, { discounts, ...coupon }]) => {
      const shown = {
        id: couponId(each),
        created: dateTime(context.now),
        updated: null,
        entity_id: context.account.id,
        entity_type: 'plugin',
        code: each,
        ...coupon,
        has_addons_discount: false,
        is_one_per_user: false,
        source: 0,
      }
      return enriched === 'true' && code === undefined ? { ...shown, discounts } : shown
    })
}

/**
 * The terms of a page whose link has a coupon: "automatically applied on the checkout immediately when opened" (`CheckoutPopupOptions` of
 * @freemius/checkout). What happens to a coupon that does not apply is UNVERIFIED: here the page charges the whole price.
 */
export function couponTerms(context: AccountContext, code: string | undefined, price: SoldPrice): Terms {
  const terms = TERMS.read(context)
  const [, coupon] = allCoupons(context).find(([each]) => each === code) ?? []
  if (!coupon || !isApplicable(coupon, price, context.now)) return terms
  const { discount, discount_type: type, discounts, has_renewals_discount: renews } = coupon
  const lasts = !renews && { lasts: 'once' as const }
  if (type === 'percentage') return { ...terms, percentOff: discount, ...lasts }
  return { ...terms, amountOff: Math.round((discounts[toCurrency(price.currency)] ?? 0) * 100), ...lasts }
}

const CYCLES = { month: '1', year: '12' }

function isApplicable(coupon: Coupon, price: SoldPrice, now: number): boolean {
  const { is_active, plans, billing_cycles, start_date, end_date, redemptions, redemptions_limit: limit } = coupon
  const today = dateTime(now)
  const cycle = price.interval === 'month' || price.interval === 'year' ? CYCLES[price.interval] : '0'
  return (
    is_active &&
    start_date <= today &&
    today < end_date &&
    (limit === null || redemptions < limit) &&
    (plans === null || plans.split(',').includes(parsePrice(price).plan_id)) &&
    (billing_cycles === null || billing_cycles.split(',').includes(cycle))
  )
}
