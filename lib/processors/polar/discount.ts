// Whether a discount of Polar takes off exactly what an offer of the paywall file does.
import type { PolarCore } from '@polar-sh/sdk/2026-10'
import { getDiscounts } from '@polar-sh/sdk/2026-10/services/discounts'
import type { AdapterOptions } from '../adapter.ts'
import { isUsedUpWithOffer, limitMismatch } from '../discount.ts'
import { durationMismatch } from '../discount-months.ts'
import type { DiscountCheck, SoldDiscount } from '../processor.ts'
import { PolarRefusal, parse, polarApi } from './api.ts'
import { Discount } from './objects.ts'

export function discountCheck({ accessToken }: { accessToken: string }, options: AdapterOptions): DiscountCheck {
  const api = polarApi(accessToken, options)
  return (id, sold) => discountMismatch(api, id, sold)
}

async function discountMismatch(api: PolarCore, id: string, sold: SoldDiscount): Promise<string | null> {
  const discount = await findDiscount(api, id)
  if (!discount) return 'does not exist'
  const other = sold.prices.find(({ processorPrice }) => !appliesTo(discount, processorPrice))
  if (other) return `does not apply to the product ${other.processorPrice}`
  const { max_redemptions: max, starts_at: startsAt, ends_at: endsAt } = discount
  const count = discount.redemptions_count ?? 0
  if (max != null && count >= max && !isUsedUpWithOffer(count, max, sold))
    return `has been redeemed ${count} times, which is its maximum`
  return (
    limitMismatch({ inAll: max, startsAt, endsAt }, sold) ??
    amountMismatch(discount, sold) ??
    durationMismatch(discount, sold)
  )
}

async function findDiscount(api: PolarCore, id: string): Promise<Discount | null> {
  try {
    return parse(Discount, await getDiscounts(api)(id))
  } catch (error) {
    if (error instanceof PolarRefusal && error.isMissing) return null
    throw error
  }
}

const appliesTo = ({ products }: Discount, product: string) =>
  products.length === 0 || products.some(({ id }) => id === product)

function amountMismatch({ basis_points: points, amounts }: Discount, { discount }: SoldDiscount): string | null {
  const { percent, amount, currency } = discount
  if (percent !== undefined) {
    if (points === undefined) return 'takes off an amount'
    return points === percent * 100 ? null : `takes off ${points / 100} %`
  }
  const off = currency === undefined ? undefined : amounts?.[currency.toLowerCase()]
  return off === amount ? null : 'takes off another amount, or one in another currency'
}
