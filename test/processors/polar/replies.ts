import type { models } from '@polar-sh/sdk/2026-10'
import { polarAdapter } from '../../../lib/processors/polar/adapter.ts'
import { ACME } from './emulator/fixture.ts'
import { ADA } from './shop.ts'

// Complete replies by the types of the official SDK, with made-up values. What Polar itself has sent or published is in recorded.test.ts.

export const ID = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6a'
export const ORDER = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6e'
export const OTHER = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6f'
export const DISPUTE = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b70'
export const CUSTOMER = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6d'
export const metadata = { checkout_id: '3f9c2b9e-3b77-4a53-9d0b-7e5a4b2c1d01', paywall_id: '1001', user_id: ADA }
export const created = { created_at: '2026-10-31T08:00:00.123456Z', modified_at: '2026-11-01T08:00:00.654321Z' }

export const customer: models.SubscriptionCustomer = {
  ...created,
  id: CUSTOMER,
  metadata: {},
  external_id: ADA,
  email: 'ada@example.com',
  email_verified: false,
  type: 'individual',
  name: 'Ada',
  billing_name: null,
  billing_address: null,
  tax_id: null,
  locale: null,
  organization_id: ID,
  default_payment_method_id: null,
  deleted_at: null,
  first_user_event_at: null,
  avatar_url: null,
}

export const product: models.Product = {
  ...created,
  id: ID,
  name: 'Pro',
  description: null,
  visibility: 'public',
  trial_interval: null,
  trial_interval_count: null,
  recurring_interval: 'month',
  recurring_interval_count: 3,
  meter_interval: null,
  meter_interval_count: null,
  is_recurring: true,
  is_archived: false,
  organization_id: ID,
  metadata: {},
  is_deletable: false,
  prices: [],
  benefits: [],
  medias: [],
  attached_custom_fields: [],
}

export const subscription: models.Subscription = {
  ...created,
  id: ID,
  amount: 2400,
  currency: 'jpy',
  recurring_interval: 'month',
  recurring_interval_count: 3,
  status: 'active',
  current_period_start: '2026-10-31T08:00:00.123456Z',
  current_period_end: '2027-01-31T08:00:00.123456Z',
  current_meter_period_start: null,
  current_meter_period_end: null,
  trial_start: null,
  trial_end: null,
  cancel_at_period_end: false,
  canceled_at: null,
  started_at: created.created_at,
  ends_at: null,
  ended_at: null,
  past_due_at: null,
  pause_at_period_end: false,
  paused_at: null,
  resumes_at: null,
  customer_id: CUSTOMER,
  product_id: ID,
  discount_id: null,
  checkout_id: ID,
  units: null,
  customer_cancellation_reason: null,
  customer_cancellation_comment: null,
  metadata,
  customer,
  product,
  discount: null,
  prices: [],
  meters: [],
  pending_update: null,
}

export const order: models.Order = {
  ...created,
  id: ID,
  status: 'paid',
  paid: true,
  subtotal_amount: 4900,
  discount_amount: 900,
  net_amount: 4000,
  tax_amount: 760,
  total_amount: 4760,
  applied_balance_amount: 0,
  due_amount: 4760,
  refunded_amount: 0,
  refunded_tax_amount: 0,
  currency: 'eur',
  billing_reason: 'purchase',
  billing_name: null,
  billing_address: null,
  invoice_number: 'ACME-0001',
  is_invoice_generated: false,
  receipt_number: null,
  units: null,
  customer_id: CUSTOMER,
  product_id: ID,
  discount_id: null,
  subscription_id: null,
  checkout_id: ID,
  metadata,
  platform_fee_amount: 250,
  platform_fee_currency: 'usd',
  customer,
  product: null,
  discount: null,
  subscription: null,
  items: [],
  description: 'Pro',
  refundable_amount: 4000,
  refundable_tax_amount: 760,
}

export const dispute: models.Dispute = {
  ...created,
  id: DISPUTE,
  status: 'needs_response',
  resolved: false,
  closed: false,
  amount: 4000,
  tax_amount: 760,
  currency: 'eur',
  reason: 'fraudulent',
  evidence_due_by: null,
  past_due: false,
  order_id: ID,
  payment_id: ID,
  customer,
  case_id: null,
}

/** The adapter's decision on these replies. */
export async function decision(
  kind: 'subscription' | 'payment',
  sold: object,
  orders: object[] = [order],
  disputes: object[] = [],
) {
  const replies: typeof fetch = async (input) => {
    const url = String(input)
    if (url.includes('/disputes/')) return Response.json({ items: disputes })
    return Response.json(url.includes('?') ? { items: orders } : sold)
  }
  const adapter = polarAdapter(ACME, { base: null, isTest: true, fetch: replies, now: () => new Date() })
  const observed = await adapter.observe({ kind, id: ID })
  return observed && adapter.decide(observed, new Date())
}

export const decide = async (...replies: Parameters<typeof decision>) => (await decision(...replies))?.found

export const cycle = { ...order, id: ORDER, billing_reason: 'subscription_cycle', subscription_id: ID }
/** 2026-11-01T08:00:00.654321Z. */
export const CHANGED = 1_793_520_000_654_321
