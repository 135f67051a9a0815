import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail, opened, press, priceIdOf, startCheckout } from '../support/checkout.ts'
import { ageCheckouts } from '../support/lost-webhooks.ts'
import {
  letDaysPass,
  mollieProcessor,
  payFirst,
  paymentsOf,
  subscribeAtMollie,
  subscriptionsOf,
} from '../support/mollie-purchase.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { sequenceFaults, toldAbout } from '../support/told.ts'
import { provenBalances, userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  const lifetime = monthly({
    slug: 'lifetime',
    interval: undefined,
    currency: 'JPY',
    amount: 980,
    locals: [],
    tokens: [],
  })
  const prices = [monthly(), yearly(), lifetime]
  world = await startTestWorld({ file: { paywall: { processor: mollieProcessor(), prices } } })
})
afterEach(async () => {
  world.mollie.onCall = undefined
  await world.mollie.releaseWebhooks()
})
afterAll(() => world.close())

const typesTold = async (userId: string) => (await toldAbout(world, userId)).map(({ type }) => type)
const purchaseOf = async (userId: string) => (await userState(world, userId)).purchases[0]

/** The end of the day that comes so many days, and months, after today: UTC. */
function endOfDay({ days = 0, months = 0 }): string {
  const now = new Date()
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months + 1, 0)).getUTCDate()
  const day = months ? Math.min(now.getUTCDate(), month) : now.getUTCDate()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, day + days + 1)).toISOString()
}

test('a subscription begins with its first payment, and runs until the day of the next', async () => {
  const { userId, paymentId, back } = await payFirst(world)
  const returned = await call(world, back)
  expect(returned).toMatchObject({ status: 303 })
  expect(returned.headers.location).toContain('https://owner.example/thanks')

  expect(await purchaseOf(userId)).toMatchObject({
    status: 'active',
    acquiring: 'mollie',
    interval: 'month',
    interval_count: 1,
    unit_amount: 999,
    currency: 'USD',
    current_period_end: endOfDay({ months: 1 }),
    cancel_at_period_end: false,
  })
  expect(paymentsOf(world, userId)).toMatchObject([
    { id: paymentId, sequenceType: 'first', amount: { currency: 'USD', value: '9.99' } },
  ])
  expect(subscriptionsOf(world, userId)).toMatchObject([
    { status: 'active', interval: '1 month', amount: { currency: 'USD', value: '9.99' } },
  ])
  await world.mollie.webhooksSettled()
  expect((await provenBalances(world, userId)).standard).toBe(100)
  expect(await typesTold(userId)).toEqual(['checkout.completed', 'subscription.created', 'payment.succeeded'])
})

test('however many learn of a payment at the same moment, it begins one subscription', async () => {
  world.mollie.holdWebhooks()
  const { userId, back } = await payFirst(world)
  await ageCheckouts(world, userId, 16)
  const paid = world.mollie.events.at(-1)!
  await Promise.all([
    ...Array.from({ length: 6 }, () => call(world, back)),
    ...Array.from({ length: 6 }, () => world.mollie.resend(paid.id)),
    world.workers.scheduled('reconcile'),
  ])
  expect(subscriptionsOf(world, userId)).toHaveLength(1)
  const told = await toldAbout(world, userId)
  expect(told.map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created', 'payment.succeeded'])
  expect(sequenceFaults(told)).toEqual([])
  expect((await provenBalances(world, userId)).standard).toBe(100)
})

test('a subscription that could not be made yet is made when it can, from the same payment', async () => {
  world.mollie.slowMandates = true
  const { userId, back } = await payFirst(world)
  expect((await call(world, back)).headers.location).toContain('https://owner.example/thanks')
  expect((await userState(world, userId)).purchases).toEqual([])
  world.mollie.slowMandates = false
  await world.mollie.webhooksSettled()
  expect(await purchaseOf(userId)).toMatchObject({ status: 'active', current_period_end: endOfDay({ months: 1 }) })
  expect(paymentsOf(world, userId)).toHaveLength(1)
  expect(subscriptionsOf(world, userId)).toHaveLength(1)
})

test.each(['decline', 'cancel'] as const)('a first payment that ends with %s sells nothing', async (action) => {
  const { userId, back } = await payFirst(world, 'monthly', { action })
  expect((await call(world, back)).headers.location).toContain('https://owner.example/sorry')
  await world.mollie.webhooksSettled()
  expect(await userState(world, userId)).toMatchObject({ purchases: [], paid: false })
  expect(await toldAbout(world, userId)).toEqual([])
  expect(subscriptionsOf(world, userId)).toEqual([])
})

test('a trial costs nothing at first, and its end is told three days ahead though Mollie tells nothing', async () => {
  const { userId, subscriptionId } = await subscribeAtMollie(world, 'yearly')
  expect(paymentsOf(world, userId)).toMatchObject([{ amount: { value: '0.00' }, status: 'paid' }])
  expect(subscriptionsOf(world, userId)).toMatchObject([{ interval: '12 months', amount: { value: '89.00' } }])
  expect(await purchaseOf(userId)).toMatchObject({
    status: 'trialing',
    interval: 'year',
    unit_amount: 8900,
    current_period_end: endOfDay({ days: 7 }),
  })
  const begun = ['checkout.completed', 'subscription.created']
  expect(await typesTold(userId)).toEqual(begun)

  await letDaysPass(world, userId, subscriptionId, 3)
  await world.workers.scheduled('reconcile')
  expect(await typesTold(userId)).toEqual(begun)
  await letDaysPass(world, userId, subscriptionId, 2)
  await world.workers.scheduled('reconcile')
  await world.workers.scheduled('reconcile')
  expect(await typesTold(userId)).toEqual([...begun, 'subscription.trial_ending'])

  await world.mollie.renew(subscriptionId)
  await world.mollie.webhooksSettled()
  expect(await purchaseOf(userId)).toMatchObject({ status: 'active' })
  expect((await typesTold(userId)).slice(3)).toEqual(['subscription.renewed', 'payment.succeeded'])
})

test('a one-time purchase waits for a bank that takes its time, and ends when all is given back', async () => {
  const body = { email: newEmail(), priceId: priceIdOf(world.paywall, 'lifetime') }
  const { userId } = opened(await startCheckout(world, { paywall: world.paywall, key: world.key, body }))
  const [payment] = paymentsOf(world, userId)
  expect(payment).toMatchObject({ sequenceType: 'oneoff', amount: { currency: 'JPY', value: '980' } })
  const id = payment!.id
  await world.mollie.payLater(id)
  await world.mollie.webhooksSettled()
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'pending' }] })

  await world.mollie.settle(id)
  await world.mollie.webhooksSettled()
  expect(await userState(world, userId)).toMatchObject({
    paid: true,
    purchases: [{ status: 'active', interval: null, unit_amount: 980, currency: 'JPY', current_period_end: null }],
  })
  await world.mollie.refund(id, '80')
  await world.mollie.webhooksSettled()
  expect((await userState(world, userId)).paid).toBe(true)
  await world.mollie.refund(id)
  await world.mollie.webhooksSettled()
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  const told = await toldAbout(world, userId)
  const payments = told.filter(({ data }) => data.payment).map(({ type, data }) => `${type} ${data.payment?.amount}`)
  expect(payments).toEqual(['payment.succeeded 980', 'payment.refunded 80', 'payment.refunded 900'])
  expect(subscriptionsOf(world, userId)).toEqual([])
})

test('the same Idempotency-Key opens one payment, whoever of twenty is first', async () => {
  const options = {
    paywall: world.paywall,
    key: world.key,
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { email: newEmail() },
  }
  const replies = await Promise.all(Array.from({ length: 20 }, () => startCheckout(world, options)))
  const pages = new Set(replies.map((reply) => opened(reply).checkoutUrl))
  expect(pages.size).toBe(1)
  expect(opened(replies[0]!).acquiring).toBe('mollie')
  expect(paymentsOf(world, opened(replies[0]!).userId)).toHaveLength(1)
})

test('a local price is asked for in its own currency', async () => {
  const { userId } = await payFirst(world, 'monthly', { body: { localCurrency: 'INR' } })
  expect(paymentsOf(world, userId)).toMatchObject([{ amount: { currency: 'INR', value: '399.00' } }])
  await world.mollie.webhooksSettled()
  expect(await purchaseOf(userId)).toMatchObject({ unit_amount: 39_900, currency: 'INR' })
})

test('opening another checkout makes the earlier page unpayable', async () => {
  const order = { paywall: world.paywall, key: world.key, body: { email: newEmail() } }
  const first = opened(await startCheckout(world, order))
  const second = opened(await startCheckout(world, order))
  expect(second.checkoutUrl).not.toBe(first.checkoutUrl)
  await expect.poll(() => paymentsOf(world, first.userId).map(({ status }) => status)).toEqual(['canceled', 'open'])
  expect(await press(first.checkoutUrl, 'pay')).not.toContain('/success')
})
