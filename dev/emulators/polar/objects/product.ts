import type { AccountContext } from '../../core/domain/context.ts'
import type { SoldPrice } from '../../core/domain/selling-records.ts'
import { uuidOf } from '../accounts.ts'
import { complete, since } from './wire.ts'

/** Products are made in the dashboard, before anything else. */
const MADE = Date.UTC(2026, 0, 1) / 1000

export const priceObject = (price: SoldPrice) =>
  complete('price', {
    ...since(MADE),
    ...{ id: priceIdOf(price), product_id: price.id, price_currency: price.currency, price_amount: price.amount },
  })

export const priceIdOf = ({ id, currency }: SoldPrice) => uuidOf(`price ${id} ${currency}`)

export const productFields = ({ account }: AccountContext, { id, label, interval, intervalCount }: SoldPrice) =>
  complete('product', {
    ...since(MADE),
    ...{ id, name: label, organization_id: account.id, is_recurring: interval !== null, recurring_interval: interval },
    recurring_interval_count: interval === null ? null : (intervalCount ?? 1),
  })
