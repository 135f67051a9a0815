import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { interruptOnce, type Side } from '../support/interrupt.ts'
import { refundPurchase } from '../support/purchase-calls.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'
import { PRICES, refundedAtStripe, refundedEvents } from './refunding.ts'

const world = useTestWorld({ file: { paywall: { prices: PRICES } } })
let ours: Tenant

beforeAll(() => {
  ours = tenant(world.file)
})

const UNAVAILABLE = { status: 503, headers: {}, body: '{"error":{"type":"api_error"}}' }
const REFUNDS = { call: '/v1/refunds', method: 'POST' }
const options = (body = {}) => ({ headers: { 'idempotency-key': randomUUID() }, body })

const endLease = ({ purchaseId }: Subscriber) =>
  world.database.query('update refunds set leased_until = now() where purchase_id = $1', [purchaseId])

test('while Stripe does not respond nothing is returned, and a retry may follow at once', async () => {
  const subscriber = await subscribe(world, ours)
  const call = options({ amount: 500 })
  world.stripe.onCall = async () => UNAVAILABLE
  const refused = await refundPurchase(world, subscriber, call)
  world.stripe.onCall = undefined
  expect(refused).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
  expect(await refundPurchase(world, subscriber, call)).toMatchObject({ status: 200 })
  expect(refundedAtStripe(world, subscriber)).toEqual([500])
})

test.each<Side>(['before', 'after'])(
  'if the response of Stripe is lost %s it refunds, the amount is not left for another call, and a retry refunds once',
  async (side) => {
    const subscriber = await subscribe(world, ours)
    const call = options({ amount: 900 })
    // The SDK repeats the call once, under the same key.
    let lost = 0
    world.stripe.onCall = async ({ method, path }, run) => {
      if (method !== REFUNDS.method || path !== REFUNDS.call) return run()
      lost += 1
      if (side === 'after') await run()
      return UNAVAILABLE
    }
    world.stripe.holdWebhooks()
    const first = await refundPurchase(world, subscriber, call)
    world.stripe.onCall = undefined
    expect([first.status, lost > 0]).toEqual([502, true])
    const other = await refundPurchase(world, subscriber, options({ amount: 100 }))
    expect(other).toMatchObject({ status: 409, body: { error: 'refund_exceeds_payment', available: 99 } })
    expect(await refundPurchase(world, subscriber, call)).toMatchObject({
      status: 200,
      body: { refund: { amount: 900 } },
    })
    await world.stripe.sendHeldWebhooks()
    expect(refundedAtStripe(world, subscriber)).toEqual([900])
    expect(await refundedEvents(world, subscriber)).toEqual([900])
  },
)

test('if all webhooks are lost, the refund counts nevertheless, once', async () => {
  const subscriber = await subscribe(world, ours)
  world.stripe.holdWebhooks()
  expect(await refundPurchase(world, subscriber, options())).toMatchObject({ status: 200 })
  const { rows } = await world.database.query(
    "select amount::int from payments where purchase_id = $1 and kind = 'refunded'",
    [subscriber.purchaseId],
  )
  expect(rows).toEqual([{ amount: 999 }])
  await world.stripe.sendHeldWebhooks()
  expect(await refundedEvents(world, subscriber)).toEqual([999])
})

test('if the purchase cannot be read after the refund and no webhook arrives, reconcile stores it', async () => {
  const buyer = await subscribe(world, ours, 'once')
  world.stripe.holdWebhooks()
  let isRefunded = false
  world.stripe.onCall = async ({ method, path }, run) => {
    if (isRefunded && method === 'GET') return UNAVAILABLE
    if (method === 'POST' && path === '/v1/refunds') isRefunded = true
    return run()
  }
  const reply = await refundPurchase(world, buyer, options())
  world.stripe.onCall = undefined
  expect(reply).toMatchObject({ status: 200, body: { refund: { status: 'pending' }, purchase: { status: 'active' } } })
  await world.clock.advance(world.paywall.id, '2m')
  const { rows } = await world.database.query('select status from purchases where id = $1', [buyer.purchaseId])
  expect(rows).toEqual([{ status: 'refunded' }])
  await world.stripe.sendHeldWebhooks()
  expect(await refundedEvents(world, buyer)).toEqual([19_900])
})

test.each<[string, Side]>([
  ['accept_refund', 'before'],
  ['accept_refund', 'after'],
  ['finish_refund', 'before'],
  ['finish_refund', 'after'],
])('if the response of %s is lost %s it runs, a retry after the lease gets the one refund', async (statement, side) => {
  const buyer = await subscribe(world, ours, 'once')
  const call = options({ amount: 700 })
  const [first] = await Promise.all([
    refundPurchase(world, buyer, call),
    interruptOnce(world, { statement: `.${statement}(` }, side),
  ])
  expect(first).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
  await endLease(buyer)
  expect(await refundPurchase(world, buyer, call)).toMatchObject({ status: 200, body: { refund: { amount: 700 } } })
  expect(refundedAtStripe(world, buyer)).toEqual([700])
  expect(await refundedEvents(world, buyer)).toEqual([700])
})

// These come last: a clock waits for the leases that a killed Worker held.

test.each<Side>(['before', 'after'])(
  'a crash %s Stripe refunds: a retry after the lease refunds once',
  async (side) => {
    const subscriber = await subscribe(world, ours)
    const call = options({ amount: 900 })
    const crashed = interruptOnce(world, REFUNDS, side, () => world.workers.kill())
    await expect(refundPurchase(world, subscriber, call)).rejects.toThrow()
    await crashed
    expect(await refundPurchase(world, subscriber, call)).toMatchObject({
      status: 409,
      body: { error: 'refund_in_progress' },
    })
    const other = await refundPurchase(world, subscriber, options({ amount: 100 }))
    expect(other).toMatchObject({ status: 409 }) // whether or not a webhook has reported the first one
    await endLease(subscriber)
    expect(await refundPurchase(world, subscriber, call)).toMatchObject({
      status: 200,
      body: { refund: { amount: 900 } },
    })
    expect(refundedAtStripe(world, subscriber)).toEqual([900])
  },
)
