import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ownerEvents } from '../support/owner-events.ts'
import { livePaywallFile, paywallFile } from '../support/paywall-file.ts'
import { refundPurchase } from '../support/purchase-calls.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'
import { PRICES, refundedAtStripe, refundedEvents } from './refunding.ts'

const world = useTestWorld({ file: { paywall: { prices: PRICES } } })
let ours: Tenant

beforeAll(() => {
  ours = tenant(world.file)
})

const payments = async ({ id }: Subscriber) => {
  const events = await ownerEvents(world, id)
  return events.flatMap(({ type, data }) => (type === 'payment.succeeded' && data.payment ? [data.payment] : []))
}

test('returns part of a subscription’s payment, then what is left; the subscription continues', async () => {
  const subscriber = await subscribe(world, ours)
  const [paid] = await payments(subscriber)
  const part = await refundPurchase(world, subscriber, { body: { amount: 400, reason: 'was down' } })
  expect(part).toMatchObject({
    status: 200,
    body: {
      refund: { payment: paid?.id, amount: 400, currency: 'USD', status: 'succeeded' },
      purchase: { id: subscriber.purchaseId, status: 'active' },
    },
  })
  const rest = await refundPurchase(world, subscriber)
  expect(rest).toMatchObject({ status: 200, body: { refund: { amount: 599 }, purchase: { status: 'active' } } })
  expect(await refundPurchase(world, subscriber)).toMatchObject({ status: 409, body: { error: 'payment_refunded' } })
  expect(refundedAtStripe(world, subscriber)).toEqual([400, 599])
  expect(await refundedEvents(world, subscriber)).toEqual([400, 599])
  expect(await userState(world, subscriber.id)).toMatchObject({ paid: true })
  const { rows } = await world.database.query('select reason from refunds where purchase_id = $1 order by amount', [
    subscriber.purchaseId,
  ])
  expect(rows).toEqual([{ reason: 'was down' }, { reason: null }])
})

test('a one-time purchase that is refunded entirely is refunded, in the reply and in the next read', async () => {
  const buyer = await subscribe(world, ours, 'once')
  const part = await refundPurchase(world, buyer, { body: { amount: 19_899 } })
  expect(part).toMatchObject({ status: 200, body: { purchase: { status: 'active' } } })
  const reply = await refundPurchase(world, buyer)
  expect(reply).toMatchObject({ status: 200, body: { refund: { amount: 1 }, purchase: { status: 'refunded' } } })
  const state = await userState(world, buyer.id)
  expect(state).toMatchObject({ paid: false })
  expect(state.purchases[0]).toEqual(Object(reply.body).purchase)
  expect(await refundedEvents(world, buyer)).toEqual([19_899, 1])
})

test('refunds the payment that is named, and by default the latest one that succeeded', async () => {
  const subscriber = await subscribe(world, ours)
  await world.clock.advance(ours.paywall.id, '1m') // so that the second payment is later by Stripe's clock, which has seconds
  await world.stripe.renew(subscriber.subscriptionId)
  await world.stripe.drainWebhooks()
  const [first, second] = await payments(subscriber)
  const named = await refundPurchase(world, subscriber, { body: { payment: first?.id, amount: 100 } })
  expect(named).toMatchObject({ status: 200, body: { refund: { payment: first?.id } } })
  expect(await refundPurchase(world, subscriber)).toMatchObject({
    status: 200,
    body: { refund: { payment: second?.id, amount: 999 } },
  })
  const tooMuch = await refundPurchase(world, subscriber, { body: { payment: first?.id, amount: 900 } })
  expect(tooMuch).toMatchObject({ status: 409, body: { error: 'refund_exceeds_payment', available: 899 } })
})

test("a payment that is unknown, or another purchase's, is 404", async () => {
  const [subscriber, other] = [await subscribe(world, ours), await subscribe(world, ours)]
  const [theirs] = await payments(other)
  for (const payment of [theirs?.id, randomUUID(), 'x', theirs?.processor_id]) {
    const reply = await refundPurchase(world, subscriber, { body: { payment } })
    expect(reply).toMatchObject({ status: 404, body: { error: 'payment_not_found' } })
  }
  expect(refundedAtStripe(world, other)).toEqual([])
})

test.each<[string, unknown]>([
  ['Invalid amount', { amount: 0 }],
  ['Invalid amount', { amount: -1 }],
  ['Invalid amount', { amount: 1.5 }],
  ['Invalid amount', { amount: '499' }],
  ['Invalid amount', { amount: 2 ** 53 }],
  ['Invalid payment', { payment: 7 }],
  ['Invalid payment', { payment: 'x'.repeat(101) }],
  ['Invalid reason', { reason: '' }],
  ['Invalid reason', { reason: 'x'.repeat(501) }],
  ['invalid_body', []],
  ['invalid_json', '{'],
])('a bad body is 400 %s and refunds nothing', async (error, body) => {
  const subscriber = await subscribe(world, ours)
  expect(await refundPurchase(world, subscriber, { body })).toMatchObject({ status: 400, body: { error } })
  expect(refundedAtStripe(world, subscriber)).toEqual([])
})

test('more than the payment is refused with what is left, before the processor is called', async () => {
  const subscriber = await subscribe(world, ours)
  const calls = world.stripe.calls.length
  expect(await refundPurchase(world, subscriber, { body: { amount: 1000 } })).toMatchObject({
    status: 409,
    body: { error: 'refund_exceeds_payment', available: 999 },
  })
  expect(world.stripe.calls).toHaveLength(calls)
})

test('a disputed payment is refused; one whose dispute the owner has won can be refunded', async () => {
  const buyer = await subscribe(world, ours, 'once')
  const { id } = await world.stripe.dispute(buyer.subscriptionId)
  const disputed = { status: 409, body: { error: 'payment_disputed' } }
  world.stripe.holdWebhooks()
  expect(await refundPurchase(world, buyer)).toMatchObject(disputed) // by Stripe, or by us once we know it
  await world.stripe.sendHeldWebhooks()
  await world.stripe.drainWebhooks()
  expect(await refundPurchase(world, buyer)).toMatchObject(disputed)
  await world.stripe.closeDispute(id, { won: true })
  await world.stripe.drainWebhooks()
  expect(await refundPurchase(world, buyer)).toMatchObject({ status: 200, body: { refund: { amount: 19_900 } } })
})

test('what the seller has refunded in the dashboard is not refunded again, even before its webhook arrives', async () => {
  const buyer = await subscribe(world, ours, 'once')
  world.stripe.holdWebhooks()
  await world.stripe.refund(buyer.subscriptionId, 19_000)
  expect(await refundPurchase(world, buyer)).toMatchObject({
    status: 409,
    body: { error: 'refund_exceeds_payment', available: 900 },
  })
  await world.stripe.sendHeldWebhooks()
  await world.stripe.drainWebhooks()
  expect(await refundPurchase(world, buyer)).toMatchObject({ status: 200, body: { refund: { amount: 900 } } })
})

test('a refund in progress is pending, and what it returns is not left any more', async () => {
  const buyer = await subscribe(world, ours, 'once')
  world.stripe.slowRefunds = true
  const reply = await refundPurchase(world, buyer, { body: { amount: 10_000 } })
  world.stripe.slowRefunds = false
  expect(reply).toMatchObject({ status: 200, body: { refund: { status: 'pending' }, purchase: { status: 'active' } } })
  expect(await refundedEvents(world, buyer)).toEqual([])
  expect(await refundPurchase(world, buyer, { body: { amount: 9_901 } })).toMatchObject({
    status: 409,
    body: { available: 9_900 },
  })
  const [pending] = [...world.stripe.records.refunds.values()].filter(({ payment }) => payment === buyer.subscriptionId)
  await world.stripe.resolveRefund(pending?.id ?? '')
  expect(await refundedEvents(world, buyer)).toEqual([10_000])
  expect(await refundPurchase(world, buyer)).toMatchObject({ status: 200, body: { refund: { amount: 9_900 } } })
})

test('a refund that has failed can be made again', async () => {
  const buyer = await subscribe(world, ours, 'once')
  expect(await refundPurchase(world, buyer)).toMatchObject({ status: 200, body: { purchase: { status: 'refunded' } } })
  const [made] = [...world.stripe.records.refunds.values()].filter(({ payment }) => payment === buyer.subscriptionId)
  await world.stripe.resolveRefund(made?.id ?? '', { fail: true })
  await world.stripe.drainWebhooks()
  expect(await refundPurchase(world, buyer)).toMatchObject({ status: 200, body: { refund: { amount: 19_900 } } })
})

test("a purchase that is unknown, another owner's or on another paywall is 404, and nothing is refunded", async () => {
  const subscriber = await subscribe(world, ours)
  const unknown = { status: 404, body: { error: 'purchase_not_found' } }
  for (const purchaseId of [randomUUID(), 'x', subscriber.subscriptionId]) {
    expect(await refundPurchase(world, { purchaseId })).toMatchObject(unknown)
  }
  const foreign = tenant(await paywallFile())
  const live = tenant(await livePaywallFile())
  for (const other of [foreign, live]) {
    await world.apply(other.file)
    const headers = { 'idempotency-key': randomUUID() }
    expect(await refundPurchase({ ...world, ...other }, subscriber, { headers })).toMatchObject(unknown)
    expect(await refundPurchase(world, subscriber, { key: other.key })).toMatchObject({
      body: { error: expect.stringMatching(/^(Access denied|Invalid API key)/) },
    })
  }
  expect(refundedAtStripe(world, subscriber)).toEqual([])
})

test('a live paywall requires an Idempotency-Key', async () => {
  const live = tenant(await livePaywallFile())
  await world.apply(live.file)
  expect(await refundPurchase({ ...world, ...live }, { purchaseId: randomUUID() })).toMatchObject({
    status: 400,
    body: { error: 'idempotency_key_required' },
  })
})

test('a trial has no payment to refund', async () => {
  const subscriber = await subscribe(world, ours, 'trial')
  expect(await refundPurchase(world, subscriber)).toMatchObject({ status: 409, body: { error: 'nothing_paid' } })
})
