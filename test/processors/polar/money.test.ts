import { expect, test } from 'vitest'
import {
  CHANGED,
  created,
  cycle,
  DISPUTE,
  decide,
  decision,
  dispute,
  ID,
  ORDER,
  OTHER,
  order,
  subscription,
} from './replies.ts'

// Decisions on Polar's replies about money: what is paid, what was charged, and what was refunded.

test('the price is covered when the last paid order for the plan is one for the current plan', async () => {
  const covered = async (product: string, orders: object[], status = 'active') =>
    (await decide('subscription', { ...subscription, status, product_id: product }, orders))?.purchase.priceCovered
  const change = { ...cycle, id: OTHER, billing_reason: 'subscription_update', product_id: OTHER }
  const usage = { ...cycle, billing_reason: 'subscription_meter_cycle', product_id: OTHER }

  expect(await covered(OTHER, [cycle])).toBe(false) // charged with the next period, as Polar's portal does
  expect(await covered(OTHER, [{ ...change, status: 'pending' }, cycle])).toBe(false)
  expect(await covered(OTHER, [change, cycle])).toBe(true)
  expect(await covered(OTHER, [{ ...change, total_amount: -1428, due_amount: 0 }, cycle])).toBe(true)
  expect(await covered(OTHER, [usage, cycle])).toBe(false)
  expect(await covered(ID, [cycle])).toBe(true) // changed back and forth, without an order
  expect(await covered(ID, [{ ...cycle, status: 'pending' }, cycle])).toBe(true) // a renewal that is due
  expect(await covered(OTHER, [cycle], 'trialing')).toBe(true)
})

test('the first charge is the amount of the first order, with taxes and after discounts', async () => {
  const first = { ...cycle, billing_reason: 'subscription_create' }
  const charged = async (...given: Parameters<typeof decide>) => (await decide(...given))?.purchase.charged
  expect(await charged('subscription', subscription, [cycle, { ...first, id: OTHER }])).toBe(4760)
  expect(await charged('subscription', subscription, [cycle])).toBeNull()
  const trial = { trial_start: created.created_at, trial_end: '2026-11-07T08:00:00Z' }
  expect(await charged('subscription', { ...subscription, ...trial, status: 'trialing' }, [first])).toBe(0)
  expect(await charged('payment', order)).toBe(4760)
  expect(await charged('payment', { ...order, status: 'pending' })).toBeNull()
})

test("versions are the times of each object's last change, to the microsecond, or of its creation", async () => {
  const versions = async (change: object) => (await decide('payment', { ...order, ...change }))?.purchase.versions
  expect(await versions({ modified_at: null, created_at: '2026-11-01T08:00:00Z' })).toEqual({ [ID]: CHANGED - 654_321 })
  expect(await versions({ modified_at: '2026-11-01T09:00:00.5+01:00' })).toEqual({ [ID]: CHANGED - 154_321 })
  expect(await versions({ modified_at: '2026-11-01T08:00:00.654320Z' })).toEqual({ [ID]: CHANGED - 1 })
})

const fact = { id: DISPUTE, paymentId: ID, amount: 4760, currency: 'EUR' }
const opened = { ...fact, kind: 'disputed', occurredAt: new Date('2026-10-31T08:00:00.123Z') }
const decided = { ...fact, occurredAt: new Date('2026-11-01T08:00:00.654Z') }

/** What the order shows as paid. */
const paid = { ...fact, id: ID, kind: 'succeeded', occurredAt: new Date('2026-11-01T08:00:00.654Z') }

test.each<[string, object, object[]]>([
  ['needs_response', { status: 'active' }, [opened]],
  ['under_review', { status: 'active' }, [opened]],
  ['escalated', { status: 'active' }, [opened]], // an unknown status
  ['lost', { status: 'refunded' }, [opened, { ...decided, kind: 'dispute_lost' }]],
  ['won', { status: 'active' }, [opened, { ...decided, kind: 'dispute_won' }]],
  ['prevented', { status: 'active' }, []],
  ['early_warning', { status: 'active' }, []],
])('a one-time purchase with a dispute that is %s', async (status, purchase, payments) => {
  expect(await decision('payment', order, [], [{ ...dispute, status }])).toMatchObject({
    found: { purchase: { ...purchase, versions: { [ID]: CHANGED, [DISPUTE]: CHANGED } } },
    payments: [paid, ...payments],
  })
})

test('a subscription that has ended shows the disputes of its orders, for which Polar sends no event', async () => {
  const lost = { ...dispute, status: 'lost', order_id: ORDER }
  const ended = await decision('subscription', { ...subscription, status: 'canceled' }, [cycle], [lost])
  const charged = { kind: 'succeeded', paymentId: ORDER }
  expect(ended?.payments).toMatchObject([charged, { kind: 'disputed' }, { kind: 'dispute_lost', paymentId: ORDER }])
  expect((await decision('subscription', subscription, [cycle], [lost]))?.payments).toMatchObject([charged])
})

test('a first payment that failed for good is reported', async () => {
  const failed = { ...cycle, billing_reason: 'subscription_create', status: 'void' }
  expect(await decision('subscription', { ...subscription, status: 'incomplete_expired' }, [failed])).toMatchObject({
    found: { purchase: { status: 'canceled', begun: false } },
    payments: [{ kind: 'failed', id: ORDER, paymentId: ORDER, amount: 4760, currency: 'EUR' }],
  })
})
