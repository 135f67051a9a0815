import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import type { SoldPrice } from '../../core/domain/selling-records.ts'
import { uuidOf } from '../accounts.ts'
import { timeText } from '../rules.ts'

/** Products are made in the dashboard, before anything else. */
const CREATED = timeText(Date.UTC(2026, 0, 1) / 1000)

export const priceObject = (price: SoldPrice): models.ProductPriceFixed => ({
  created_at: CREATED,
  modified_at: null,
  id: priceIdOf(price),
  source: 'catalog',
  amount_type: 'fixed',
  price_currency: price.currency,
  tax_behavior: null,
  is_archived: false,
  product_id: price.id,
  price_amount: price.amount,
})

export const priceIdOf = ({ id, currency }: SoldPrice) => uuidOf(`price ${id} ${currency}`)

/** What products have wherever they are shown. */
export const productFields = ({ account }: AccountContext, price: SoldPrice) => ({
  id: price.id,
  created_at: CREATED,
  modified_at: null,
  trial_interval: null,
  trial_interval_count: null,
  name: price.label,
  description: null,
  visibility: 'public' as const,
  recurring_interval: price.interval,
  recurring_interval_count: price.interval === null ? null : (price.intervalCount ?? 1),
  meter_interval: null,
  meter_interval_count: null,
  is_recurring: price.interval !== null,
  is_archived: false,
  organization_id: account.id,
})

export const productObject = (context: AccountContext, price: SoldPrice): models.Product => ({
  ...productFields(context, price),
  metadata: {},
  is_deletable: false,
  prices: [priceObject(price)],
  benefits: [],
  medias: [],
  attached_custom_fields: [],
})
