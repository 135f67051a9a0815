// Whether a coupon takes off exactly what an offer of the paywall file does.
import type { AdapterOptions } from '../adapter.ts'
import { type Discount, isUsedUpWithOffer, limitMismatch } from '../discount.ts'
import type { DiscountCheck, Interval, SoldDiscount } from '../processor.ts'
import { chargebeeApi, inPath } from './api.ts'
import { type Coupon, CouponReply } from './objects.ts'
import { fromChargebee } from './translate.ts'

export function couponCheck(credentials: { site: string; apiKey: string }, options: AdapterOptions): DiscountCheck {
  const { get } = chargebeeApi(credentials, options)
  return async (id, sold) => {
    const coupon = (await get(`/coupons/${inPath(id)}`, CouponReply))?.coupon
    return coupon ? couponMismatch(coupon, sold) : 'does not exist'
  }
}

function couponMismatch(coupon: Coupon, sold: SoldDiscount): string | null {
  const { status, max_redemptions: max, redemptions, valid_from: startsAt } = coupon
  const isUsedUp = max !== undefined && redemptions >= max
  const isOver = isUsedUpWithOffer(redemptions, max, sold)
  if (isUsedUp && !isOver) return `has been redeemed ${redemptions} times, which is its maximum`
  const isYetToStart = status === 'future' && startsAt !== undefined
  const isExpected = isYetToStart || (status === 'expired' && isOver)
  if (status !== 'active' && !isExpected) return `is ${status}`
  return (
    limits(coupon, sold) ??
    amountMismatch(coupon, sold.discount) ??
    durationMismatch(coupon, sold) ??
    itemMismatch(coupon, sold)
  )
}

/** `max_redemptions` of a coupon is for all customers; its constraints are for each. */
function limits(
  { max_redemptions: inAll, coupon_constraints: constraints, valid_from: startsAt, valid_till: endsAt }: Coupon,
  sold: SoldDiscount,
): string | null {
  const other = constraints.find(({ type }) => type !== 'max_redemptions')
  if (other) return `has the constraint ${other.type}: remove it`
  const values = constraints.flatMap(({ value }) => (value === undefined ? [] : [Number(value)]))
  return limitMismatch({ inAll, perUser: values.length > 0 ? Math.min(...values) : null, startsAt, endsAt }, sold)
}

function amountMismatch(coupon: Coupon, { percent, amount, currency }: Discount): string | null {
  const { discount_type: type, discount_percentage: share, discount_amount: off, currency_code: code } = coupon
  if (percent !== undefined) {
    if (type !== 'percentage') return `takes off ${type === 'fixed_amount' ? 'an amount' : type}`
    return share === percent ? null : `takes off ${share} %`
  }
  const isSame =
    type === 'fixed_amount' &&
    off !== undefined &&
    code !== undefined &&
    code === currency &&
    fromChargebee(off, code) === amount
  return isSame ? null : 'takes off another amount, or one in another currency'
}

function durationMismatch(coupon: Coupon, { discount: { periods }, prices }: SoldDiscount): string | null {
  const { duration_type: type, period = 0, period_unit: unit } = coupon
  if (periods === undefined) return null // a one-time price is paid once
  const lasts = type === 'limited_period' ? `for ${period} ${unit}s` : type
  if (periods === 'forever' || periods === 1) {
    return type === (periods === 1 ? 'one_time' : 'forever') ? null : `lasts ${lasts}`
  }
  const isExact = prices.every(
    ({ recurring }) =>
      type === 'limited_period' &&
      unit !== undefined &&
      recurring !== null &&
      isSameLength([period, unit], [periods * recurring.intervalCount, recurring.interval]),
  )
  return isExact ? null : `lasts ${lasts}, which is not ${periods} periods of each price`
}

type Length = [count: number, unit: Interval]

const isSameLength = (one: Length, other: Length): boolean => {
  const [[count, unit], [otherCount, otherUnit]] = [inSmallUnits(one), inSmallUnits(other)]
  return count === otherCount && unit === otherUnit
}

function inSmallUnits([count, unit]: Length): Length {
  if (unit === 'week') return [7 * count, 'day']
  return unit === 'year' ? [12 * count, 'month'] : [count, unit]
}

function itemMismatch({ apply_on: on, item_constraints: constraints }: Coupon, { prices }: SoldDiscount) {
  if (on === 'invoice_amount') return null
  if (on !== 'each_specified_item') return `applies to ${on}`
  for (const { processorPrice, recurring } of prices) {
    const type = recurring ? 'plan' : 'charge'
    const items = constraints.find(({ item_type }) => item_type === type)
    const isNamed = items?.constraint === 'specific' && items.item_price_ids.includes(processorPrice)
    // Criteria such as a family of items cannot be compared with an item price.
    if (items?.constraint === 'criteria') return 'applies to item prices by criteria: name them instead'
    if (items?.constraint !== 'all' && !isNamed) return `does not apply to ${processorPrice}`
  }
  return null
}
