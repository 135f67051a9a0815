import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { interruptOnce, type Side } from '../support/interrupt.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { useTenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'
import { changePlan, PRICES, preview, pricesAtStripe } from './changing.ts'

const world = useTestWorld({ file: { paywall: { prices: PRICES } } })
const ours = useTenant(world)

const inProgress = { status: 409, body: { error: 'plan_change_in_progress' } }

const endLease = ({ purchaseId }: Subscriber) =>
  world.database.query('update plan_changes set leased_until = now() where purchase_id = $1', [purchaseId])

/** Counts what was paid. The events of a killed Worker may arrive much later. */
async function countPayments({ purchaseId }: Subscriber): Promise<number | null> {
  const { rowCount } = await world.database.query(
    "select from payments where purchase_id = $1 and kind = 'succeeded'",
    [purchaseId],
  )
  return rowCount
}

async function expectChangedOnce(subscriber: Subscriber): Promise<void> {
  await world.stripe.drainWebhooks()
  expect(pricesAtStripe(world, subscriber)).toEqual(['price_team'])
  expect(await countPayments(subscriber)).toBe(2)
  const { purchases } = await userState(world, subscriber.id)
  expect(purchases).toMatchObject([{ price_slug: 'team' }])
}

test('while Stripe does not respond, nothing is changed, and a retry may follow at once', async () => {
  const subscriber = await subscribe(world, ours)
  const options = { headers: { 'idempotency-key': randomUUID() } }
  world.stripe.onCall = async () => ({ status: 503, headers: {}, body: '{"error":{"type":"api_error"}}' })
  const refused = await changePlan(world, subscriber, options)
  world.stripe.onCall = undefined
  expect(refused).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
  expect(await changePlan(world, subscriber, options)).toMatchObject({ status: 200 })
  await expectChangedOnce(subscriber)
})

test('an attempt that failed is repeated with its key for 15 minutes; after that the call is a new change', async () => {
  const subscriber = await subscribe(world, ours)
  const options = { headers: { 'idempotency-key': randomUUID() } }
  world.stripe.onCall = async () => ({ status: 503, headers: {}, body: '{"error":{"type":"api_error"}}' })
  expect(await changePlan(world, subscriber, options)).toMatchObject({ status: 502 })
  world.stripe.onCall = undefined
  await world.clock.advance(world.paywall.id, '16m')
  await world.stripe.renew(subscriber.subscriptionId, { fail: true })
  await world.stripe.drainWebhooks()
  const reply = await changePlan(world, subscriber, options)
  expect(reply).toMatchObject({ status: 409, body: { error: 'subscription_not_changeable', status: 'past_due' } })
  expect(pricesAtStripe(world, subscriber)).toEqual(['price_monthly'])
})

test('a change with a quote is repeated with its key for 15 minutes after it was requested', async () => {
  const subscriber = await subscribe(world, ours)
  const { quote } = await preview(world, subscriber)
  await world.clock.advance(world.paywall.id, '14m')
  const options = { headers: { 'idempotency-key': randomUUID() }, body: { quote } }
  world.stripe.onCall = async ({ method }, run) => {
    const reply = await run()
    if (method === 'POST') throw new DroppedCall()
    return reply
  }
  expect(await changePlan(world, subscriber, options)).toMatchObject({ status: 502 })
  world.stripe.onCall = undefined
  await endLease(subscriber)
  await world.clock.advance(world.paywall.id, '10m')
  expect(await changePlan(world, subscriber, options)).toMatchObject({ status: 200 })
  await expectChangedOnce(subscriber)
})

test('if neither the read after the change nor a webhook arrives, the change is stored ten minutes later', async () => {
  const subscriber = await subscribe(world, ours)
  const slugs = async () => (await userState(world, subscriber.id)).purchases.map(({ price_slug }) => price_slug)
  world.stripe.holdWebhooks()
  let isChanged = false
  world.stripe.onCall = async ({ method }, run) => {
    if (method === 'GET' && isChanged) return { status: 503, headers: {}, body: '{"error":{"type":"api_error"}}' }
    if (method === 'POST') isChanged = true
    return run()
  }
  expect(await changePlan(world, subscriber)).toMatchObject({ status: 200 })
  await until('the read has failed', async () =>
    world.logs.some(({ message }) => message.includes('change not synced yet')),
  )
  world.stripe.onCall = undefined
  expect(await slugs()).toEqual(['monthly'])
  await world.clock.advance(world.paywall.id, '11m')
  expect(await slugs()).toEqual(['team'])
  await world.stripe.sendHeldWebhooks()
})

// These come last: a clock waits for the leases that a killed Worker held.

test.each<Side>(['before', 'after'])(
  'a crash %s Stripe changes the plan: a retry after the lease changes it once',
  async (side) => {
    const subscriber = await subscribe(world, ours)
    const options = { headers: { 'idempotency-key': randomUUID() } }
    const call = `/v1/subscriptions/${subscriber.subscriptionId}`
    const updating = interruptOnce(world, { call, method: 'POST' }, side, () => world.workers.kill())
    await expect(changePlan(world, subscriber, options)).rejects.toThrow()
    await updating
    expect(await changePlan(world, subscriber, options)).toMatchObject(inProgress)
    await endLease(subscriber)
    expect(await changePlan(world, subscriber, options)).toMatchObject({ status: 200, body: { checkoutUrl: null } })
    await expectChangedOnce(subscriber)
  },
)

test('if the result cannot be recorded, the caller gets it, and a retry after the lease the same', async () => {
  const subscriber = await subscribe(world, ours)
  const options = { headers: { 'idempotency-key': randomUUID() } }
  const recording = interruptOnce(world, { statement: 'finish_plan_change' }, 'before')
  const first = await changePlan(world, subscriber, options)
  await recording
  expect(first).toMatchObject({ status: 200, body: { to: { price_slug: 'team' } } })
  await endLease(subscriber)
  const again = await changePlan(world, subscriber, options)
  expect(again).toMatchObject({ status: 200, body: { to: { price_slug: 'team' } } })
  await expectChangedOnce(subscriber)
})
