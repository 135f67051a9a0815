import { afterEach, expect, test } from 'vitest'
import { call } from '../../support/call.ts'
import { newEmail, startCheckout } from '../../support/checkout.ts'
import {
  getPayments,
  listSubscriptions,
  mollieProcessor,
  openMollieShop,
  payFirst,
  subscribeAtMollie,
} from '../../support/mollie-purchase.ts'
import { findSequenceErrors, ownerEvents } from '../../support/owner-events.ts'
import { moveClock } from '../../support/passing-time.ts'
import { userState, verifiedBalances } from '../../support/user-state.ts'
import { useTestWorld } from '../../support/world.ts'

const world = useTestWorld({ file: { paywall: { processor: mollieProcessor() } } })
afterEach(async () => {
  world.mollie.onCall = undefined
  await world.mollie.sendHeldWebhooks()
})

const eventTypes = async (userId: string) => (await ownerEvents(world, userId)).map(({ type }) => type)
const readPurchase = async (userId: string, shop = world) => (await userState(shop, userId)).purchases[0]

/** The ISO time of midnight UTC, `days` after this date. */
const getStart = (date: string | undefined, days = 0) =>
  new Date(Date.parse(String(date)) + days * 86_400_000).toISOString()

test('a subscription begins with its first payment, and lasts until the day of the next', async () => {
  const { userId, paymentId, back } = await payFirst(world)
  const returned = await call(world, back)
  expect(returned).toMatchObject({ status: 303 })
  expect(returned.headers.location).toContain('https://owner.example/thanks')

  const [payment] = getPayments(world, userId)
  const [subscription] = listSubscriptions(world, userId)
  const amount = { currency: 'USD', value: '9.99' }
  expect(payment).toMatchObject({ id: paymentId, sequenceType: 'first', amount })
  // Not any mandate that the customer may give later: that would be another card, for another purchase.
  expect(subscription).toMatchObject({ status: 'active', interval: '1 month', amount, mandateId: payment?.mandateId })
  expect(await readPurchase(userId)).toMatchObject({
    status: 'active',
    acquiring: 'mollie',
    interval: 'month',
    interval_count: 1,
    unit_amount: 999,
    currency: 'USD',
    current_period_end: getStart(subscription?.startDate),
    cancel_at_period_end: false,
  })
  await world.mollie.drainWebhooks()
  expect((await verifiedBalances(world, userId)).standard).toBe(100)
  expect(await eventTypes(userId)).toEqual(['checkout.completed', 'subscription.created', 'payment.succeeded'])
})

test('any number of concurrent reads of a payment create one subscription', async () => {
  world.mollie.holdWebhooks()
  const { shop } = await openMollieShop(world)
  const { userId, back } = await payFirst(shop)
  await moveClock(shop, 16)
  const paid = world.mollie.events.at(-1)!
  await Promise.all([
    ...Array.from({ length: 6 }, () => call(world, back)),
    ...Array.from({ length: 6 }, () => world.mollie.resend(paid.id)),
    world.workers.scheduled('reconcile'),
  ])
  expect(listSubscriptions(world, userId)).toHaveLength(1)
  const events = await ownerEvents(world, userId)
  expect(events.map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created', 'payment.succeeded'])
  expect(findSequenceErrors(events)).toEqual([])
  expect((await verifiedBalances(world, userId)).standard).toBe(100)
})

test('a paid purchase is visible at once, and sold once, even if its subscription can only be created later', async () => {
  const { shop, passes } = await openMollieShop(world)
  world.mollie.slowMandates = true
  const email = newEmail()
  const { userId, back } = await payFirst(shop, 'monthly', { email })
  expect((await call(world, back)).headers.location).toContain('https://owner.example/thanks')
  expect(await userState(shop, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  expect(listSubscriptions(world, userId)).toEqual([])
  const again = await startCheckout(world, { ...shop, body: { email } })
  expect(again).toMatchObject({ status: 409, body: { hasActivePurchase: true } })

  world.mollie.slowMandates = false
  world.mollie.forgetKeys()
  await passes('8d')
  const [subscription] = listSubscriptions(world, userId)
  expect(await readPurchase(userId, shop)).toMatchObject({ current_period_end: getStart(subscription?.startDate) })
  expect(getPayments(world, userId)).toHaveLength(1)
  await world.mollie.drainWebhooks()
  expect(await eventTypes(userId)).toEqual(['checkout.completed', 'subscription.created', 'payment.succeeded'])
})

test('a full refund before the start ends the purchase, which never renews', async () => {
  world.mollie.holdWebhooks()
  const { userId, paymentId } = await payFirst(world)
  await world.mollie.sendHeldWebhooks(() => [])
  await world.mollie.refund(paymentId)
  await world.mollie.drainWebhooks()
  expect(listSubscriptions(world, userId)).toEqual([])
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
})

test('a trial costs nothing, and trial_ending is sent three days before its end although Mollie sends no event', async () => {
  const { shop, passes } = await openMollieShop(world)
  const { userId } = await subscribeAtMollie(shop, 'yearly')
  expect(getPayments(world, userId)).toMatchObject([{ amount: { value: '0.00' }, status: 'paid' }])
  expect(listSubscriptions(world, userId)).toMatchObject([{ interval: '12 months', amount: { value: '89.00' } }])
  expect(await readPurchase(userId, shop)).toMatchObject({
    status: 'trialing',
    interval: 'year',
    unit_amount: 8900,
    // Mollie charges on dates of Amsterdam's calendar, which are ahead of UTC's for an hour or two each night.
    current_period_end: getStart(new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Amsterdam' }), 8),
  })
  const begun = ['checkout.completed', 'subscription.created']
  expect(await eventTypes(userId)).toEqual(begun)

  await passes('4d')
  expect(await eventTypes(userId)).toEqual(begun)
  await passes('2d')
  expect(await eventTypes(userId)).toEqual([...begun, 'subscription.trial_ending'])

  await passes('4d')
  expect(await readPurchase(userId, shop)).toMatchObject({ status: 'active' })
  expect((await eventTypes(userId)).slice(3)).toEqual(['subscription.renewed', 'payment.succeeded'])
})
