// Whether a coupon takes off exactly what an offer of the paywall file does.
import Stripe from 'stripe'
import type { AdapterOptions } from '../adapter.ts'
import { type Discount, isUsedUpWithOffer, limitMismatch } from '../discount.ts'
import { durationMismatch } from '../discount-months.ts'
import type { DiscountCheck, SoldDiscount } from '../processor.ts'
import { parse, stripeApi } from './api.ts'
import { fromStripe } from './definition.ts'
import { Coupon, PriceProduct } from './objects.ts'
import { asProcessorError } from './translate.ts'

export function couponCheck({ secretKey }: { secretKey: string }, options: AdapterOptions): DiscountCheck {
  const api = stripeApi(secretKey, options)
  return async (id, sold) => {
    try {
      return await couponMismatch(api, id, sold)
    } catch (error) {
      throw asProcessorError(error)
    }
  }
}

/** Throws the SDK's errors. */
async function couponMismatch(api: Stripe, id: string, sold: SoldDiscount): Promise<string | null> {
  const coupon = await findCoupon(api, id)
  if (!coupon) return 'does not exist'
  const { valid, max_redemptions: max, times_redeemed: count } = coupon
  if (!valid && !isUsedUpWithOffer(count, max, sold)) return 'is no longer valid'
  const limited = limitMismatch({ inAll: max, endsAt: coupon.redeem_by }, sold)
  return (
    limited ??
    amountMismatch(coupon, sold.discount) ??
    durationMismatch(coupon, sold) ??
    productMismatch(api, coupon, sold)
  )
}

async function findCoupon(api: Stripe, id: string): Promise<Coupon | null> {
  try {
    return parse(Coupon, await api.coupons.retrieve(id, { expand: ['applies_to'] }))
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null
    throw error
  }
}

function amountMismatch(
  { percent_off, amount_off, currency }: Coupon,
  { percent, amount, currency: wanted }: Discount,
) {
  if (percent !== undefined) return percent_off === percent ? null : `takes off ${describeOff(percent_off)}`
  const off = amount_off === null || currency === null ? null : fromStripe(amount_off, currency)
  return off === amount && currency === wanted ? null : 'takes off another amount, or one in another currency'
}

const describeOff = (percent: number | null) => (percent === null ? 'an amount' : `${percent} %`)

async function productMismatch(api: Stripe, { applies_to }: Coupon, { prices }: SoldDiscount): Promise<string | null> {
  if (!applies_to) return null
  for (const { processorPrice } of prices) {
    const { product } = parse(PriceProduct, await api.prices.retrieve(processorPrice))
    if (!applies_to.products.includes(product)) return `does not apply to the product of ${processorPrice}`
  }
  return null
}
