import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  letDaysPass,
  mollieProcessor,
  paymentsOf,
  subscribeAtMollie,
  subscriptionsOf,
} from '../support/mollie-purchase.ts'
import { rewritePurchase } from '../support/our-time.ts'
import { type OwnerEvent, ownerEvents, sequenceFaults } from '../support/owner-events.ts'
import { provenBalances, userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ file: { paywall: { processor: mollieProcessor() } } })
})
afterAll(() => world.close())

/** A subscription, and a way to see what the owner hears of each thing that happens to it next. */
async function bought(slug?: string) {
  const subscription = await subscribeAtMollie(world, slug)
  const { userId, subscriptionId: id } = subscription
  let count = (await ownerEvents(world, userId)).length
  async function hears(happen: () => Promise<unknown>): Promise<OwnerEvent[]> {
    await happen()
    await world.mollie.drainWebhooks()
    const events = await ownerEvents(world, userId)
    expect(sequenceFaults(events)).toEqual([])
    const news = events.slice(count)
    count = events.length
    return news
  }
  const purchase = async () => (await userState(world, userId)).purchases[0]
  const standard = async () => (await provenBalances(world, userId)).standard
  return { ...subscription, id, hears, purchase, standard }
}

const types = (events: OwnerEvent[]) => events.map(({ type }) => type)
const monthLater = (text: string | null | undefined) => {
  const time = new Date(String(text))
  time.setUTCMonth(time.getUTCMonth() + 1)
  return time.getTime()
}

test('each charge that is paid renews the subscription for a period, and brings its tokens', async () => {
  const { id, hears, purchase, standard } = await bought()
  for (const tokens of [200, 300]) {
    const before = await purchase()
    expect(types(await hears(() => world.mollie.renew(id)))).toEqual(['subscription.renewed', 'payment.succeeded'])
    const after = await purchase()
    expect(after).toMatchObject({ status: 'active', cancel_at_period_end: false })
    // Months differ in length, and a day that a month does not have is its last: three days at most.
    const days = (Date.parse(String(after?.current_period_end)) - monthLater(before?.current_period_end)) / 86_400_000
    expect(Math.abs(days)).toBeLessThanOrEqual(3)
    expect(await standard()).toBe(tokens)
  }
})

test('a direct debit that is under way keeps the user in, and renews when it is paid', async () => {
  const { id, userId, hears, purchase, standard } = await bought()
  await hears(() => world.mollie.renew(id, { pending: true }))
  expect(await purchase()).toMatchObject({ status: 'active' })
  expect((await userState(world, userId)).paid).toBe(true)
  expect(await standard()).toBe(100)
  const charge = paymentsOf(world, userId).find(({ status }) => status === 'pending')
  const events = await hears(() => world.mollie.resolvePayment(String(charge?.id)))
  expect(types(events)).toEqual(['subscription.renewed', 'payment.succeeded'])
  expect(await standard()).toBe(200)
})

test('a charge that fails is told and leaves the subscription past due; the next one that is paid mends it', async () => {
  const { id, userId, hears, purchase, standard } = await bought()
  const failed = await hears(() => world.mollie.renew(id, { fail: true }))
  expect(types(failed)).toEqual(['subscription.past_due', 'payment.failed'])
  expect(failed[1]?.data.payment).toMatchObject({ amount: 999 })
  expect(await purchase()).toMatchObject({ status: 'past_due' })
  expect((await userState(world, userId)).paid).toBe(true)
  expect(await standard()).toBe(100)
  expect(types(await hears(() => world.mollie.renew(id)))).toEqual(['subscription.renewed', 'payment.succeeded'])
  expect(await purchase()).toMatchObject({ status: 'active' })
  expect(await standard()).toBe(200)
})

test('a subscription that can be charged no more lasts as long as it is paid, and then ends, at Mollie too', async () => {
  const { id, userId, hears, purchase } = await bought()
  await world.mollie.suspend(id)
  await letDaysPass(world, userId, id, 20)
  expect(types(await hears(() => world.workers.scheduled('reconcile')))).toEqual([])
  expect(await purchase()).toMatchObject({ status: 'active' })
  expect((await userState(world, userId)).paid).toBe(true)
  await letDaysPass(world, userId, id, 14)
  expect(types(await hears(() => world.workers.scheduled('reconcile')))).toEqual(['subscription.ended'])
  expect(await purchase()).toMatchObject({ status: 'canceled' })
  // Else it would go on as soon as its customer has another mandate.
  expect(subscriptionsOf(world, userId)).toMatchObject([{ status: 'canceled' }])
})

test('a charge that is under way does not make up for one that failed', async () => {
  const { id, userId, hears, purchase } = await bought()
  await hears(() => world.mollie.renew(id, { fail: true }))
  await rewritePurchase(world, userId, "past_due_since = now() - interval '8 days'")
  const pending = await hears(() => world.mollie.renew(id, { pending: true }))
  expect(types(pending)).toEqual(['subscription.updated'])
  expect(await purchase()).toMatchObject({ status: 'past_due' })
  expect((await userState(world, userId)).paid).toBe(false)
})

test('refunds and chargebacks of a subscription’s payments are told, once each, and end nothing', async () => {
  const { id, userId, hears, purchase } = await bought()
  await hears(() => world.mollie.renew(id))
  const [first, charge] = paymentsOf(world, userId)
  const events = [
    ...(await hears(() => world.mollie.refund(first!.id, '3.00'))),
    ...(await hears(() => world.mollie.chargeback(charge!.id))),
  ]
  expect(events.map(({ type, data }) => `${type} ${data.payment?.amount}`)).toEqual([
    'payment.refunded 300',
    'payment.disputed 999',
  ])
  for (const event of world.mollie.events) await world.mollie.resend(event.id)
  expect(await hears(async () => undefined)).toEqual([])
  expect(await purchase()).toMatchObject({ status: 'active' })
})
