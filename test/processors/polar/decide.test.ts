import type { models } from '@polar-sh/sdk/2026-10'
import { expect, test } from 'vitest'
import { polarAdapter } from '../../../lib/processors/polar/adapter.ts'
import { ACME } from '../../emulators/polar-fixture.ts'
import { ADA } from './shop.ts'

// Replies as the official SDK's types have them, whole. Polar publishes no example objects for this version.

const ID = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6a'
const CUSTOMER = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6d'
const metadata = { checkout_id: '3f9c2b9e-3b77-4a53-9d0b-7e5a4b2c1d01', paywall_id: '1001', user_id: ADA }
const created = { created_at: '2026-10-31T08:00:00.123456Z', modified_at: '2026-11-01T08:00:00.654321Z' }

const customer: models.SubscriptionCustomer = {
  ...created,
  ...{ id: CUSTOMER, metadata: {}, external_id: ADA, email: 'ada@example.com', email_verified: false },
  ...{ type: 'individual', name: 'Ada', billing_name: null, billing_address: null, tax_id: null, locale: null },
  ...{ organization_id: ID, default_payment_method_id: null, deleted_at: null, first_user_event_at: null },
  avatar_url: null,
}

const product: models.Product = {
  ...created,
  ...{ id: ID, name: 'Pro', description: null, visibility: 'public', trial_interval: null, trial_interval_count: null },
  ...{ recurring_interval: 'month', recurring_interval_count: 3, meter_interval: null, meter_interval_count: null },
  ...{ is_recurring: true, is_archived: false, organization_id: ID, metadata: {}, is_deletable: false },
  ...{ prices: [], benefits: [], medias: [], attached_custom_fields: [] },
}

const subscription: models.Subscription = {
  ...created,
  ...{ id: ID, amount: 2400, currency: 'jpy', recurring_interval: 'month', recurring_interval_count: 3 },
  status: 'active',
  current_period_start: '2026-10-31T08:00:00.123456Z',
  current_period_end: '2027-01-31T08:00:00.123456Z',
  ...{ current_meter_period_start: null, current_meter_period_end: null, trial_start: null, trial_end: null },
  ...{ cancel_at_period_end: false, canceled_at: null, started_at: created.created_at, ends_at: null, ended_at: null },
  ...{ past_due_at: null, pause_at_period_end: false, paused_at: null, resumes_at: null, customer_id: CUSTOMER },
  ...{ product_id: ID, discount_id: null, checkout_id: ID, units: null, customer_cancellation_reason: null },
  ...{ customer_cancellation_comment: null, metadata, customer, product, discount: null, prices: [], meters: [] },
  pending_update: null,
}

const order: models.Order = {
  ...created,
  ...{ id: ID, status: 'paid', paid: true, subtotal_amount: 4900, discount_amount: 900, net_amount: 4000 },
  ...{ tax_amount: 760, total_amount: 4760, applied_balance_amount: 0, due_amount: 4760, refunded_amount: 0 },
  ...{ refunded_tax_amount: 0, currency: 'eur', billing_reason: 'purchase', billing_name: null, billing_address: null },
  ...{ invoice_number: 'ACME-0001', is_invoice_generated: false, receipt_number: null, units: null },
  ...{ customer_id: CUSTOMER, product_id: ID, discount_id: null, subscription_id: null, checkout_id: ID, metadata },
  ...{ platform_fee_amount: 250, platform_fee_currency: 'usd', customer, product: null, discount: null },
  ...{ subscription: null, items: [], description: 'Pro', refundable_amount: 4000, refundable_tax_amount: 760 },
}

/** What is decided on Polar's replies. */
async function decide(kind: 'subscription' | 'payment', sold: object, orders: object[] = [order]) {
  const replies: typeof fetch = async (input) => Response.json(String(input).includes('?') ? { items: orders } : sold)
  const adapter = polarAdapter(ACME, { base: null, isTest: true, fetch: replies, now: () => new Date() })
  const observed = await adapter.observe({ kind, id: ID })
  return observed && adapter.decide(observed, new Date())?.found
}

const cycle = { ...order, billing_reason: 'subscription_cycle', subscription_id: ID }

test('a subscription', async () => {
  expect(await decide('subscription', subscription, [cycle])).toEqual({
    paywallId: '1001',
    purchase: {
      ...{ processorId: ID, checkoutId: metadata.checkout_id, customer: CUSTOMER, buyerEmail: 'ada@example.com' },
      ...{ status: 'active', begun: true, periodCovered: true, interval: 'month', intervalCount: 3 },
      ...{ unitAmount: 2400, currency: 'JPY' },
      currentPeriodStart: new Date('2026-10-31T08:00:00.123Z'),
      currentPeriodEnd: new Date('2027-01-31T08:00:00.123Z'),
      ...{ trialStart: null, trialEnd: null, cancelAtPeriodEnd: false, cancelAt: null, canceledAt: null },
    },
  })
})

test.each<[models.SubscriptionStatus, object]>([
  ['incomplete', { status: 'pending', begun: false }],
  ['incomplete_expired', { status: 'canceled', begun: false }],
  ['trialing', { status: 'trialing', begun: true, periodCovered: true }],
  ['active', { status: 'active', periodCovered: false }],
  ['past_due', { status: 'past_due', periodCovered: false }],
  ['canceled', { status: 'canceled', begun: true }],
  ['unpaid', { status: 'canceled', begun: true }],
  ['paused', { status: 'paused' }],
])('a subscription that is %s, before its order is paid', async (status, purchase) => {
  const found = await decide('subscription', { ...subscription, status }, [{ ...cycle, status: 'pending' }])
  expect(found).toMatchObject({ purchase })
})

test('a period is covered by its own order, not by one for a change or for usage', async () => {
  const change = { ...cycle, billing_reason: 'subscription_update' }
  const usage = { ...cycle, billing_reason: 'subscription_meter_cycle' }
  const unpaid = await decide('subscription', subscription, [change, usage, { ...cycle, status: 'pending' }])
  expect(unpaid).toMatchObject({ purchase: { periodCovered: false } })
  const paid = await decide('subscription', subscription, [{ ...change, status: 'pending' }, cycle])
  expect(paid).toMatchObject({ purchase: { periodCovered: true } })
  expect(await decide('subscription', subscription, [])).toMatchObject({ purchase: { periodCovered: false } })
  const credit = { ...change, subtotal_amount: -1200, net_amount: -1200, total_amount: -1428, due_amount: 0 }
  const downgraded = await decide('subscription', subscription, [credit, cycle])
  expect(downgraded).toMatchObject({ purchase: { periodCovered: true } })
})

test('a scheduled end is the end of the period, or the one that Polar names', async () => {
  const cancelled = { ...subscription, cancel_at_period_end: true, canceled_at: '2026-11-02T08:00:00Z' }
  const canceledAt = new Date('2026-11-02T08:00:00Z')
  expect(await decide('subscription', cancelled, [cycle])).toMatchObject({
    purchase: { cancelAtPeriodEnd: true, cancelAt: new Date('2027-01-31T08:00:00.123Z'), canceledAt },
  })
  const named = { ...cancelled, ends_at: '2026-12-24T00:00:00Z' }
  expect(await decide('subscription', named, [cycle])).toMatchObject({
    purchase: { cancelAt: new Date('2026-12-24T00:00:00Z') },
  })
})

test.each<[models.OrderStatus, object]>([
  ['paid', { status: 'active', begun: true, unitAmount: 4900, currency: 'EUR', interval: null }],
  ['partially_refunded', { status: 'active', begun: true }],
  ['refunded', { status: 'refunded', begun: true }],
  ['pending', { status: 'pending', begun: false }],
  ['draft', { status: 'pending', begun: false }],
  ['void', { status: 'canceled', begun: false }],
])('a one-time purchase that is %s', async (status, purchase) => {
  expect(await decide('payment', { ...order, status })).toMatchObject({ paywallId: '1001', purchase })
})

test('an order of a subscription is that subscription', async () => {
  const replies: typeof fetch = async (input) => {
    const url = String(input)
    return Response.json(url.includes('?') ? { items: [cycle] } : url.includes('/orders/') ? cycle : subscription)
  }
  const adapter = polarAdapter(ACME, { base: null, isTest: true, fetch: replies, now: () => new Date() })
  const observed = await adapter.observe({ kind: 'payment', id: ID })
  expect(observed && adapter.decide(observed, new Date())).toMatchObject({ found: { purchase: { interval: 'month' } } })
})

test.each([
  ['a customer of another id', { external_id: 'somebody', email: 'ada@example.com' }, null],
  ['a customer without an id', { external_id: null }, null],
  ['a deleted customer', { external_id: ADA, email: null }, CUSTOMER],
])('%s', async (_, change, stored) => {
  const bought = { ...subscription, customer: { ...customer, ...change } }
  expect(await decide('subscription', bought, [cycle])).toMatchObject({ purchase: { customer: stored } })
})

test('a status that Polar did not have is nothing that we go on with', async () => {
  await expect(decide('subscription', { ...subscription, status: 'dormant' }, [cycle])).rejects.toThrow()
  await expect(decide('payment', { ...order, status: 'dormant' })).rejects.toThrow()
})
