import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMollieShop, paymentsOf, subscribeAtMollie, subscriptionsOf } from '../support/mollie-purchase.ts'
import { type OwnerEvent, ownerEvents, sequenceFaults } from '../support/owner-events.ts'
import { provenBalances, userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(() => world.close())

/** A subscription, and a way to see what the owner hears of each thing that happens to it next. */
async function bought() {
  const { shop, passes } = await openMollieShop(world)
  const subscription = await subscribeAtMollie(shop)
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
  const state = () => userState(shop, userId)
  const purchase = async () => (await state()).purchases[0]
  const standard = async () => (await provenBalances(world, userId)).standard
  return { ...subscription, id, passes, hears, state, purchase, standard }
}

const types = (events: OwnerEvent[]) => events.map(({ type }) => type)

test('a direct debit that is under way keeps the user in, and renews when it is paid', async () => {
  const { id, userId, hears, state, purchase, standard } = await bought()
  await hears(() => world.mollie.renew(id, { pending: true }))
  expect(await purchase()).toMatchObject({ status: 'active' })
  expect((await state()).paid).toBe(true)
  expect(await standard()).toBe(100)
  const charge = paymentsOf(world, userId).find(({ status }) => status === 'pending')
  const events = await hears(() => world.mollie.resolvePayment(String(charge?.id)))
  expect(types(events)).toEqual(['subscription.renewed', 'payment.succeeded'])
  expect(await standard()).toBe(200)
})

test('a subscription that can be charged no more lasts as long as it is paid, and then ends, at Mollie too', async () => {
  const { id, userId, passes, hears, state, purchase } = await bought()
  await world.mollie.suspend(id)
  expect(types(await hears(() => passes('20d')))).toEqual([])
  expect(await purchase()).toMatchObject({ status: 'active' })
  expect((await state()).paid).toBe(true)
  expect(types(await hears(() => passes('14d')))).toEqual(['subscription.ended'])
  expect(await purchase()).toMatchObject({ status: 'canceled' })
  // Else it would go on as soon as its customer has another mandate.
  expect(subscriptionsOf(world, userId)).toMatchObject([{ status: 'canceled' }])
})

test('a charge that is under way does not make up for one that failed', async () => {
  const { id, passes, hears, state, purchase } = await bought()
  await hears(() => world.mollie.renew(id, { fail: true }))
  expect(types(await hears(() => passes('8d')))).toEqual(['subscription.access_ended'])
  const pending = await hears(() => world.mollie.renew(id, { pending: true }))
  expect(types(pending)).toEqual(['subscription.updated'])
  expect(await purchase()).toMatchObject({ status: 'past_due' })
  expect((await state()).paid).toBe(false)
})

test('a renewal that is charged back is a charge that failed', async () => {
  const { id, userId, hears, purchase, standard } = await bought()
  await hears(() => world.mollie.renew(id))
  const charge = paymentsOf(world, userId).at(-1)
  const events = await hears(() => world.mollie.chargeback(String(charge?.id)))
  expect(types(events)).toEqual([
    ...['subscription.past_due', 'payment.failed', 'payment.disputed', 'payment.dispute_lost'],
  ])
  expect(await purchase()).toMatchObject({ status: 'past_due' })
  expect(await standard()).toBe(100)
})
