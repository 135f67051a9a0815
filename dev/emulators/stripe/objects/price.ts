import { hash } from 'node:crypto'
import type Stripe from 'stripe'
import type { SoldPrice } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import type { Wire } from './wire.ts'

/** Prices come from the paywall files and have no time of creation, so they all get this one. */
const CREATED = 1_700_000_000

/** What a price and its plan, the older form of it, have in common. */
const common = (price: SoldPrice) => ({
  ...nulls('tiers_mode'),
  id: price.id,
  active: true,
  billing_scheme: 'per_unit' as const,
  created: CREATED,
  currency: price.currency,
  livemode: false as const,
  metadata: {},
  nickname: price.label,
  product: productId(price),
})

export function priceObject(price: SoldPrice): Wire<Stripe.Price> {
  const { interval, intervalCount } = price
  const cycle = { interval_count: intervalCount ?? 1, ...nulls('meter trial_period_days') }
  return {
    ...common(price),
    ...nulls('custom_unit_amount lookup_key transform_quantity'),
    object: 'price',
    recurring: interval && { interval, usage_type: 'licensed', ...cycle },
    tax_behavior: 'unspecified',
    type: interval ? 'recurring' : 'one_time',
    unit_amount: price.amount,
    unit_amount_decimal: String(price.amount),
  }
}

export function planObject(price: SoldPrice): Wire<Stripe.Plan> {
  return {
    ...common(price),
    ...nulls('meter transform_usage trial_period_days'),
    object: 'plan',
    amount: price.amount,
    amount_decimal: String(price.amount),
    interval: price.interval ?? 'month',
    interval_count: price.intervalCount ?? 1,
    usage_type: 'licensed',
  }
}

export const productId = ({ id }: SoldPrice) => `prod_${hash('sha256', id).slice(0, 14)}`
