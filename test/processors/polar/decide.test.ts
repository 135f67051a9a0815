import type { models } from '@polar-sh/sdk/2026-10'
import { expect, test } from 'vitest'
import { polarAdapter } from '../../../lib/processors/polar/adapter.ts'
import { ACME } from './emulator/fixture.ts'
import {
  CHANGED,
  CUSTOMER,
  created,
  customer,
  cycle,
  decide,
  ID,
  metadata,
  ORDER,
  order,
  subscription,
} from './replies.ts'
import { ADA } from './shop.ts'

test('a subscription is mapped to a purchase', async () => {
  expect(await decide('subscription', subscription, [cycle])).toEqual({
    paywallId: '1001',
    purchase: {
      processorId: ID,
      checkoutId: metadata.checkout_id,
      customer: CUSTOMER,
      buyerEmail: 'ada@example.com',
      status: 'active',
      begun: true,
      periodCovered: true,
      interval: 'month',
      intervalCount: 3,
      changedInPeriod: false,
      scheduledChange: null,
      processorPrice: ID,
      priceCovered: true,
      charged: null,
      startedAt: new Date('2026-10-31T08:00:00.123Z'),
      versions: { [ID]: CHANGED, [ORDER]: CHANGED },
      unitAmount: 2400,
      quantity: 1,
      currency: 'JPY',
      currentPeriodStart: new Date('2026-10-31T08:00:00.123Z'),
      currentPeriodEnd: new Date('2027-01-31T08:00:00.123Z'),
      trialStart: null,
      trialEnd: null,
      cancelAtPeriodEnd: false,
      cancelAt: null,
      canceledAt: null,
    },
  })
})

const fixed = { amount_type: 'fixed', price_amount: 3000 }
const metered = { amount_type: 'metered_unit', unit_amount: '12' }

test.each<[string, object[], number]>([
  ['a fixed price', [fixed], 3000],
  ['a fixed price and metered ones', [fixed, metered, { amount_type: 'metered_tiers' }], 3000],
  ['a price per seat', [{ amount_type: 'seat_based' }], 2400],
  ['a fixed price and one per unit', [fixed, { amount_type: 'unit_based' }], 2400],
  ['a price that the buyer chooses', [{ amount_type: 'custom' }], 2400],
  ['a metered price', [metered], 2400],
])('a discounted subscription has the price before the discount if it is fixed: %s', async (_, prices, unitAmount) => {
  const discounted = { ...subscription, amount: 2400, prices } as models.Subscription
  expect(await decide('subscription', discounted, [cycle])).toMatchObject({ purchase: { unitAmount } })
})

test.each<[models.SubscriptionStatus, object]>([
  ['incomplete', { status: 'pending', begun: false }],
  ['incomplete_expired', { status: 'canceled', begun: false }],
  ['trialing', { status: 'trialing', begun: true, periodCovered: true }],
  ['active', { status: 'active', periodCovered: false, priceCovered: true }],
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

test.each([
  ['made before its period, as by the resumption of what was paused', cycle, '2026-10-30T08:00:00Z', false],
  ['made in its period', cycle, '2026-10-31T08:00:01Z', true],
  ['made as it began, by the clock of another server', cycle, '2026-10-31T07:59:59.9Z', true],
  ['for a change that began the period', { ...cycle, billing_reason: 'subscription_update' }, created.created_at, true],
  ['for an earlier change', { ...cycle, billing_reason: 'subscription_update' }, '2026-10-30T08:00:00Z', false],
])('whether a period is covered by a paid order that was %s', async (_, paid, created_at, periodCovered) => {
  expect(await decide('subscription', subscription, [{ ...paid, created_at }])).toMatchObject({
    purchase: { periodCovered },
  })
})

test('a trial that a change of plan ends in its first seconds has not paid for the period that follows', async () => {
  const created_at = subscription.current_period_start
  const changed = { ...subscription, trial_start: created_at, trial_end: created_at }
  expect(
    await decide('subscription', changed, [{ ...cycle, billing_reason: 'subscription_create', created_at }]),
  ).toMatchObject({
    purchase: { status: 'active', periodCovered: false },
  })
  expect(await decide('subscription', changed, [{ ...cycle, created_at }])).toMatchObject({
    purchase: { periodCovered: true },
  })
})

test('an order with an unknown billing reason is ignored', async () => {
  const added = { ...cycle, billing_reason: 'subscription_gift', status: 'pending' }
  expect(await decide('subscription', subscription, [added, cycle])).toMatchObject({
    purchase: { periodCovered: true },
  })
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

test('an order of a subscription leads to the subscription', async () => {
  const replies: typeof fetch = async (input) => {
    const url = String(input)
    return Response.json(url.includes('?') ? { items: [cycle] } : url.includes('/orders/') ? cycle : subscription)
  }
  const adapter = polarAdapter(ACME, { base: null, isTest: true, fetch: replies, now: () => new Date() })
  const observed = await adapter.observe({ kind: 'payment', id: ID })
  expect(observed && adapter.decide(observed, new Date())).toMatchObject({ found: { purchase: { interval: 'month' } } })
})

test.each([
  [
    'the id of a customer with another external id is not stored',
    { external_id: 'somebody', email: 'ada@example.com' },
    null,
  ],
  ['the id of a customer without an external id is not stored', { external_id: null }, null],
  ['the id of a deleted customer is stored', { external_id: ADA, email: null }, CUSTOMER],
])('%s', async (_, change, stored) => {
  const bought = { ...subscription, customer: { ...customer, ...change } }
  expect(await decide('subscription', bought, [cycle])).toMatchObject({ purchase: { customer: stored } })
})

test('an unknown status is rejected', async () => {
  await expect(decide('subscription', { ...subscription, status: 'dormant' }, [cycle])).rejects.toThrow()
  await expect(decide('payment', { ...order, status: 'dormant' })).rejects.toThrow()
})
