import { hash } from 'node:crypto'
import type Stripe from 'stripe'
import type { SoldPrice } from '../records.ts'
import type { Wire } from './wire.ts'

/** Prices come from the paywall files and have no time of creation, so they all get this one. */
const CREATED = 1_700_000_000

export function priceObject(price: SoldPrice): Wire<Stripe.Price> {
  return {
    id: price.id,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: CREATED,
    currency: price.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: price.label,
    product: productId(price),
    recurring: price.interval && {
      interval: price.interval,
      interval_count: price.intervalCount ?? 1,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: price.interval ? 'recurring' : 'one_time',
    unit_amount: price.amount,
    unit_amount_decimal: String(price.amount),
  }
}

export function planObject(price: SoldPrice): Wire<Stripe.Plan> {
  return {
    id: price.id,
    object: 'plan',
    active: true,
    amount: price.amount,
    amount_decimal: String(price.amount),
    billing_scheme: 'per_unit',
    created: CREATED,
    currency: price.currency,
    interval: price.interval ?? 'month',
    interval_count: price.intervalCount ?? 1,
    livemode: false,
    metadata: {},
    meter: null,
    nickname: price.label,
    product: productId(price),
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }
}

export function productId(price: SoldPrice): string {
  return `prod_${hash('sha256', price.id).slice(0, 14)}`
}
