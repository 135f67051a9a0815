import { hash } from 'node:crypto'
import type { SoldPrice } from '../../core/domain/selling-records.ts'
import { complete } from './wire.ts'

/** What a price and its plan, the older form of it, have in common. */
const common = (price: SoldPrice) => ({
  id: price.id,
  currency: price.currency,
  nickname: price.label,
  product: productId(price),
})

export function priceObject(price: SoldPrice) {
  const { amount, interval, intervalCount } = price
  return complete('price', {
    ...common(price),
    recurring: interval && { interval, interval_count: intervalCount ?? 1 },
    type: interval ? 'recurring' : 'one_time',
    unit_amount: amount,
    unit_amount_decimal: String(amount),
  })
}

export const planObject = (price: SoldPrice) =>
  complete('plan', {
    ...common(price),
    amount: price.amount,
    amount_decimal: String(price.amount),
    interval: price.interval ?? 'month',
    interval_count: price.intervalCount ?? 1,
  })

export const productId = ({ id }: SoldPrice) => `prod_${hash('sha256', id).slice(0, 14)}`
