import { expect, test } from 'vitest'
import { call, type Reply } from '../support/call.ts'
import { type Await, interruptOnce, interruptTogether, type Side } from '../support/interrupt.ts'
import { deliverAfterCrash, findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import {
  deliver,
  type PaidSubscription,
  paySubscription,
  purchaseAtStripe,
  toEvents,
} from '../support/stripe-purchase.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const kill = () => world.workers.kill()

async function expectBoughtOnce(userId: string): Promise<void> {
  const { purchases, paid } = await userState(world, userId)
  expect(purchases).toHaveLength(1)
  expect(paid).toBe(true)
  expect((await verifiedBalances(world, userId)).standard).toBe(100)
  await deliverAfterCrash(world)
  const events = await ownerEvents(world, userId)
  expect(events.map(({ type }) => type).toSorted()).toEqual([
    'checkout.completed',
    'payment.succeeded',
    'subscription.created',
  ])
  expect(findSequenceErrors(events, { crashed: true })).toEqual([])
}

const ACCOUNT = { statement: 'read_account' }
const STORE = { statement: 'store_purchase' }

/** Starts a flow for each of these moments, and kills the Workers when every flow has reached its moment. */
async function killAt(
  moments: [name: string, wait: Await, side: Side][],
  start: (paid: PaidSubscription) => Promise<Reply | number>,
) {
  world.stripe.holdWebhooks()
  const paid: PaidSubscription[] = []
  for (const _ of moments) paid.push(await paySubscription(world))
  const flows = moments.map(([, wait, side], index) => ({ wait, side, start: () => start(paid[index]!) }))
  const outcomes = await interruptTogether(world, flows, kill)
  return outcomes.map((outcome, index) => ({ outcome, moment: moments[index]![0], paid: paid[index]! }))
}

test('webhooks whose Worker is killed at any of these moments are repeated by Stripe and take effect once', async () => {
  const crashed = await killAt(
    [
      ['before it reads the account', ACCOUNT, 'before'],
      ['after it has read the account', ACCOUNT, 'after'],
      ['while it calls Stripe', { call: '' }, 'before'],
      ['when Stripe has answered', { call: '' }, 'after'],
      ['before the purchase is stored', STORE, 'before'],
      ['when the purchase is stored, before its answer', STORE, 'after'],
    ],
    (paid) => deliver(world, completedEvent(paid)),
  )
  for (const { outcome, moment } of crashed) expect(outcome, moment).toMatchObject({ value: 0 })

  await world.stripe.sendHeldWebhooks()
  for (const { paid } of crashed) await expectBoughtOnce(paid.userId)
})

test('a browser’s return whose Worker is killed at any of these moments finds the purchase when it is repeated', async () => {
  const crashed = await killAt(
    [
      ['before it reads the checkout', { statement: 'read_checkout' }, 'before'],
      ['while it calls Stripe', { call: '' }, 'before'],
      ['when Stripe has answered', { call: '' }, 'after'],
      ['before the purchase is stored', STORE, 'before'],
      ['when the purchase is stored', STORE, 'after'],
    ],
    ({ back }) => call(world, back),
  )
  // A return within five seconds of another one does not ask the processor: these come later.
  await world.database.query("update checkouts set asked_at = asked_at - interval '5 seconds'")
  for (const { outcome, moment, paid } of crashed) {
    expect(outcome.status === 'rejected' || Number(Object(outcome.value).status) >= 500, moment).toBe(true)
    expect(await call(world, paid.back), moment).toMatchObject({ status: 303 })
    expect((await userState(world, paid.userId)).purchases).toMatchObject([
      purchaseAtStripe(world, paid.subscriptionId),
    ])
  }
  await world.stripe.sendHeldWebhooks()
  for (const { paid } of crashed) await expectBoughtOnce(paid.userId)
})

const completedEvent = (paid: PaidSubscription) =>
  toEvents(world, paid).find(({ type }) => type === 'checkout.session.completed')!.id

test('the cron delivers the event of a purchase whose queue message was never sent', async () => {
  world.stripe.holdWebhooks()
  const paid = await paySubscription(world)
  const killed = interruptOnce(world, STORE, 'after', kill)
  const [status] = await Promise.all([deliver(world, completedEvent(paid)), killed])
  expect(status).not.toBe(200)
  expect(world.receiver.received.filter(({ body }) => body.includes(paid.userId))).toEqual([])

  await world.workers.scheduled('deliver-events')
  const events = await ownerEvents(world, paid.userId)
  expect(events.map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created'])
  expect(findSequenceErrors(events)).toEqual([])
})

test('the cron delivers the events of purchases whose queue messages were lost with the runtime', async () => {
  world.stripe.holdWebhooks()
  const purchases = await Promise.all(Array.from({ length: 12 }, () => paySubscription(world)))
  const statuses = await Promise.all(purchases.map((paid) => deliver(world, completedEvent(paid))))
  await kill()
  expect(statuses).toEqual(Array(12).fill(200))

  await deliverAfterCrash(world)
  for (const { userId } of purchases) {
    const events = await ownerEvents(world, userId)
    expect(events.map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created'])
    expect(findSequenceErrors(events, { crashed: true })).toEqual([])
  }
})
