import { afterEach, beforeEach, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import {
  deliver,
  getPayments,
  type PaidSubscription,
  paySubscription,
  purchaseAtStripe,
  toEvents,
} from '../support/stripe-purchase.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.neon.onStatement = undefined
})

/** Sends all events about a purchase, `copies` times each, all at once. */
async function deliverAll(paid: PaidSubscription, copies: number): Promise<void> {
  const statuses = await Promise.all(
    toEvents(world, paid).flatMap(({ id }) => Array.from({ length: copies }, () => deliver(world, id))),
  )
  expect(statuses.filter((status) => status !== 200)).toEqual([])
}

test('an event that arrives 20 times at once takes effect once and emits its events once', async () => {
  const paid = await paySubscription(world)
  const completed = toEvents(world, paid).find(({ type }) => type === 'checkout.session.completed')
  raceStatements(world, 'store_purchase', 20)
  const statuses = await Promise.all(Array.from({ length: 20 }, () => deliver(world, completed!.id)))
  expect(statuses).toEqual(Array(20).fill(200))
  const events = await ownerEvents(world, paid.userId)
  expect(events.map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created'])
  expect(findSequenceErrors(events)).toEqual([])
})

test('all events of a purchase, 8 times each at once, emit one purchase and one payment', async () => {
  const paid = await paySubscription(world)
  await deliverAll(paid, 8)
  const { purchases } = await userState(world, paid.userId)
  expect(purchases).toMatchObject([purchaseAtStripe(world, paid.subscriptionId)])
  const events = await ownerEvents(world, paid.userId)
  expect(events.map(({ type }) => type).toSorted()).toEqual([
    'checkout.completed',
    'payment.succeeded',
    'subscription.created',
  ])
  expect(findSequenceErrors(events)).toEqual([])
})

test('the browser’s return and the webhooks of a purchase, all at once, store one purchase', async () => {
  for (let round = 0; round < 6; round++) {
    const paid = await paySubscription(world)
    raceStatements(world, 'store_purchase', 7) // the webhooks, and the one return that asks the processor
    const returns = Array.from({ length: 3 }, () => call(world, paid.back))
    const [replies] = await Promise.all([Promise.all(returns), deliverAll(paid, 2)])
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303])
    const events = await ownerEvents(world, paid.userId)
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'checkout.completed',
      'payment.succeeded',
      'subscription.created',
    ])
    expect(findSequenceErrors(events)).toEqual([])
    expect((await userState(world, paid.userId)).purchases).toHaveLength(1)
  }
})

test('the price’s tokens are credited once for each paid period, however often Stripe repeats itself', async () => {
  const paid = await paySubscription(world)
  const standard = async () => {
    await deliverAll(paid, 4)
    return (await verifiedBalances(world, paid.userId)).standard
  }
  expect(await standard()).toBe(100)
  await world.stripe.renew(paid.subscriptionId)
  expect(await standard()).toBe(200)
  await world.stripe.renew(paid.subscriptionId, { fail: true })
  expect(await standard()).toBe(200)
  await world.stripe.renew(paid.subscriptionId)
  expect(await standard()).toBe(300)
  await world.stripe.end(paid.subscriptionId)
  expect(await standard()).toBe(300)
})

test('a repeated event changes nothing, whatever has changed at Stripe since', async () => {
  const paid = await paySubscription(world)
  await deliverAll(paid, 1)
  const reported = toEvents(world, paid)
  const { subscriptionId } = paid
  await world.stripe.renew(subscriptionId)
  await world.stripe.portalCancel(subscriptionId)
  /** Every row, without the number of calls to Stripe. */
  const rows = async () => (await stateChecksum(world)).split(' ')[0]
  const before = await rows()
  for (const { id } of reported) expect(await deliver(world, id)).toBe(200)
  expect(await rows()).toBe(before)
  await deliverAll(paid, 1)
  expect((await userState(world, paid.userId)).purchases).toMatchObject([purchaseAtStripe(world, subscriptionId)])
})

test('`trial_ending` is emitted once, even for repeated webhooks', async () => {
  const paid = await paySubscription(world, 'yearly')
  await deliverAll(paid, 2)
  await world.stripe.trialWillEnd(paid.subscriptionId)
  await deliverAll(paid, 6)
  await deliverAll(paid, 1)
  const events = await ownerEvents(world, paid.userId)
  expect(events.map(({ type }) => type)).toEqual([
    'checkout.completed',
    'subscription.created',
    'subscription.trial_ending',
  ])
  expect(findSequenceErrors(events)).toEqual([])
})

test('each payment, refund, dispute and failed attempt is reported once, however often Stripe repeats itself', async () => {
  const { stripe } = world
  const paid = await paySubscription(world)
  const { subscriptionId } = paid
  await deliverAll(paid, 2)
  await stripe.refund(getPayments(world, paid)[0]!, 300)
  await stripe.refund(getPayments(world, paid)[0]!)
  await deliverAll(paid, 2)
  await stripe.renew(subscriptionId, { fail: true })
  await stripe.renew(subscriptionId, { fail: true })
  await deliverAll(paid, 2)
  await stripe.renew(subscriptionId)
  await stripe.dispute(getPayments(world, paid)[1]!)
  await deliverAll(paid, 2)

  const events = await ownerEvents(world, paid.userId)
  expect(findSequenceErrors(events)).toEqual([])
  const payments = events.filter(({ data }) => data.payment).map(({ type, data }) => `${type} ${data.payment?.amount}`)
  expect(payments.toSorted()).toEqual([
    'payment.disputed 999',
    'payment.failed 999',
    'payment.failed 999',
    'payment.refunded 300',
    'payment.refunded 699',
    'payment.succeeded 999',
    'payment.succeeded 999',
  ])
})
