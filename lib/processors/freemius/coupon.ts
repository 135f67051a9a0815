// Whether a coupon takes off exactly what an offer of the paywall file does, and whether a page gives it.
import type { AdapterOptions } from '../adapter.ts'
import { type Discount, isUsedUpWithOffer, limitMismatch } from '../discount.ts'
import type { CheckoutOrder, DiscountCheck } from '../processor.ts'
import { type FreemiusApi, freemiusApi, parse } from './api.ts'
import { billingCycle, parsePrice } from './link.ts'
import { type CancellationCoupon, type Coupon, Coupons, minorUnits, SpecialCoupons } from './objects.ts'

/** Freemius' numbers of billing cycles. */
const CYCLES = { monthly: '1', annual: '12', lifetime: '0' }

export function couponCheck(
  credentials: { productId: string; apiKey: string },
  options: AdapterOptions,
): DiscountCheck {
  const api = freemiusApi(credentials, options)
  const { list } = api
  return async (code, { discount, prices, isToStay, ...promised }) => {
    if (isToStay) return cancellationMismatch(await findCancellationCoupon(api, code), discount)
    const coupon = await findCoupon(list, code)
    if (!coupon) return 'does not exist'
    const { redemptions, redemptions_limit: inAll, is_one_per_user: once, end_date: end } = coupon
    const usedUp = isUsedUpWithOffer(redemptions ?? 0, inAll, promised) ? null : usedUpProblem(coupon)
    if (usedUp !== null) return usedUp
    for (const price of prices) {
      const problem = suitabilityProblem(coupon, price, promised.startsAt)
      if (problem !== null) return problem
    }
    // Every coupon has an end, so that of an offer without one is not compared.
    const endsAt = promised.endsAt === null ? null : end
    const limited = limitMismatch({ inAll, perUser: once ? 1 : null, endsAt }, promised)
    if (limited !== null) return limited
    const priced = discount.percent === undefined ? await withAmounts(list, coupon) : coupon
    return amountMismatch(priced, discount) ?? durationMismatch(coupon, discount)
  }
}

/** Freemius ignores everything else in a cancellation coupon, such as its plans and limits. */
function cancellationMismatch(coupon: CancellationCoupon | null, discount: Discount): string | null {
  if (!coupon) return 'is not set as the cancellation coupon of the product'
  return amountMismatch(coupon, discount) ?? durationMismatch(coupon, discount)
}

/** The product's cancellation coupon; null if it has none with this code. */
export async function findCancellationCoupon({ ask }: FreemiusApi, code: string): Promise<CancellationCoupon | null> {
  const reply = parse(SpecialCoupons, await ask('GET', 'coupons/special.json?type=subscription_cancellation'))
  return reply.coupon_entities?.find((each) => each.code === code) ?? null
}

const readCoupons = (reply: unknown) => parse(Coupons, reply).coupons

/** Null if the product has no coupon with this code. */
export async function findCoupon(list: FreemiusApi['list'], code: string): Promise<Coupon | null> {
  const coupons = await list('coupons.json', readCoupons, { code })
  return coupons.find((each) => each.code === code) ?? null
}

/** Why a price is not sold with the coupon at a time, in words that follow its name; null if it is. */
export const couponProblem = (coupon: Coupon, price: CouponPrice, at: Date): string | null =>
  usedUpProblem(coupon) ?? suitabilityProblem(coupon, price, at)

type CouponPrice = Pick<CheckoutOrder, 'processorPrice' | 'recurring'>

const usedUpProblem = ({ redemptions, redemptions_limit: limit }: Coupon): string | null =>
  limit != null && (redemptions ?? 0) >= limit ? `has been redeemed ${redemptions} times, which is its limit` : null

function suitabilityProblem(coupon: Coupon, { processorPrice, recurring }: CouponPrice, at: Date): string | null {
  const { is_active, start_date, end_date, user_type: users, plans, billing_cycles, licenses } = coupon
  if (!is_active) return 'is not active'
  if (start_date && start_date > at) return 'has not started'
  if (end_date && end_date <= at) return 'has ended'
  if (users !== 'all') return `is for ${users} users only`
  if (licenses) return 'is for some license quotas only: remove that limit'
  if (plans && !plans.includes(parsePrice(processorPrice).plan))
    return `does not apply to the plan of ${processorPrice}`
  const cycle = billingCycle({ recurring })
  return billing_cycles && !billing_cycles.includes(CYCLES[cycle]) ? `does not apply to ${cycle} prices` : null
}

/** Only a list of all coupons has their amounts in each currency. */
async function withAmounts(list: FreemiusApi['list'], coupon: Coupon): Promise<Coupon> {
  const coupons = await list('coupons.json', readCoupons, { is_enriched: 'true' })
  return { ...coupon, discounts: coupons.find(({ code }) => code === coupon.code)?.discounts }
}

type Reducing = Pick<Coupon, 'discount_type' | 'discount' | 'discounts' | 'has_renewals_discount'>

function amountMismatch(
  { discount_type: type, discount, discounts }: Reducing,
  { percent, amount, currency }: Discount,
): string | null {
  if (percent !== undefined) {
    if (type !== 'percentage') return 'takes off an amount'
    return discount === percent ? null : `takes off ${discount} %`
  }
  const other = 'takes off another amount, or none in this currency'
  if (type !== 'dollar' || currency === undefined) return other
  const off = discounts?.[currency.toLowerCase()]
  return off !== undefined && minorUnits(off, currency) === amount ? null : other
}

function durationMismatch({ has_renewals_discount: renews }: Reducing, { periods }: Discount): string | null {
  if (periods === undefined) return null // a one-time price is paid once
  if (periods === 'forever') return renews ? null : 'reduces the first payment only'
  return renews ? 'reduces renewals, too' : null
}
