// Whether a coupon takes off exactly what an offer of the paywall file does, and whether a page gives it.
import type { AdapterOptions } from '../adapter.ts'
import type { Discount } from '../discount.ts'
import type { CheckoutOrder, DiscountCheck } from '../processor.ts'
import { type FreemiusApi, freemiusApi, parse } from './api.ts'
import { billingCycle, parsePrice } from './link.ts'
import { type Coupon, Coupons, minorUnits } from './objects.ts'

/** Freemius' numbers of billing cycles. */
const CYCLES = { monthly: '1', annual: '12', lifetime: '0' }

export function couponCheck(
  credentials: { productId: string; apiKey: string },
  options: AdapterOptions,
): DiscountCheck {
  const { list } = freemiusApi(credentials, options)
  return async (code, { discount, prices }) => {
    const coupon = await findCoupon(list, code)
    if (!coupon) return 'does not exist'
    for (const price of prices) {
      const problem = couponProblem(coupon, price, options.now())
      if (problem !== null) return problem
    }
    return (await amountMismatch(list, coupon, discount)) ?? durationMismatch(coupon, discount)
  }
}

const readCoupons = (reply: unknown) => parse(Coupons, reply).coupons

/** Null if the product has no coupon with this code. */
export async function findCoupon(list: FreemiusApi['list'], code: string): Promise<Coupon | null> {
  const coupons = await list('coupons.json', readCoupons, { code })
  return coupons.find((each) => each.code === code) ?? null
}

/** Why a price is not sold with the coupon now, in words that follow its name; null if it is. */
export function couponProblem(
  coupon: Coupon,
  { processorPrice, recurring }: Pick<CheckoutOrder, 'processorPrice' | 'recurring'>,
  now: Date,
): string | null {
  const { is_active, start_date, end_date, redemptions, redemptions_limit: limit, user_type: users } = coupon
  const { plans, billing_cycles, licenses } = coupon
  if (!is_active) return 'is not active'
  if (start_date && start_date > now) return 'has not started'
  if (end_date && end_date <= now) return 'has ended'
  if (limit != null && (redemptions ?? 0) >= limit) return `has been redeemed ${redemptions} times, which is its limit`
  if (users !== 'all') return `is for ${users} users only`
  if (licenses) return 'is for some license quotas only: remove that limit'
  if (plans && !plans.includes(parsePrice(processorPrice).plan))
    return `does not apply to the plan of ${processorPrice}`
  const cycle = billingCycle({ recurring })
  return billing_cycles && !billing_cycles.includes(CYCLES[cycle]) ? `does not apply to ${cycle} prices` : null
}

async function amountMismatch(
  list: FreemiusApi['list'],
  { code, discount_type: type, discount }: Coupon,
  { percent, amount, currency }: Discount,
): Promise<string | null> {
  if (percent !== undefined) {
    if (type !== 'percentage') return 'takes off an amount'
    return discount === percent ? null : `takes off ${discount} %`
  }
  const other = 'takes off another amount, or none in this currency'
  if (type !== 'dollar' || currency === undefined) return other
  const coupons = await list('coupons.json', readCoupons, { is_enriched: 'true' })
  const off = coupons.find((each) => each.code === code)?.discounts?.[currency.toLowerCase()]
  return off !== undefined && minorUnits(off, currency) === amount ? null : other
}

function durationMismatch({ has_renewals_discount: renews }: Coupon, { periods }: Discount): string | null {
  if (periods === undefined) return null // a one-time price is paid once
  if (periods === 'forever') return renews ? null : 'reduces the first payment only'
  return renews ? 'reduces renewals, too' : null
}
