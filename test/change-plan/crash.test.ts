import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { interruptOnce, type Side } from '../support/interrupt.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'
import { changePlan, PRICES, pricesAtStripe } from './changing.ts'

const world = useTestWorld({ file: { paywall: { prices: PRICES } } })
let ours: Tenant

beforeAll(() => {
  ours = tenant(world.file)
})

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
