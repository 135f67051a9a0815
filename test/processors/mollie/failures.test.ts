import { afterEach, expect, test } from 'vitest'
import { call } from '../../support/call.ts'
import {
  getPayments,
  listSubscriptions,
  mollieProcessor,
  openMollieShop,
  payFirst,
  postMollieWebhook,
  subscribeAtMollie,
} from '../../support/mollie-purchase.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import { passUntil } from '../../support/passing-time.ts'
import { cancelAsUser, parseCancelled, subscribe } from '../../support/subscriber.ts'
import { useTenant } from '../../support/tenants.ts'
import { userState } from '../../support/user-state.ts'
import { useTestWorld } from '../../support/world.ts'

const world = useTestWorld({ file: { paywall: { processor: mollieProcessor() } } })
const ours = useTenant(world)

afterEach(async () => {
  world.mollie.onCall = undefined
  world.mollie.slowMandates = false
  await world.mollie.sendHeldWebhooks()
})

/** How many calls of this path Mollie got while `action` ran. */
async function countCalls(path: string, action: () => Promise<unknown>): Promise<number> {
  const before = world.mollie.calls.length
  await action()
  return world.mollie.calls.slice(before).filter((each) => each.path === path).length
}

const activeSubscriptions = (userId: string) =>
  listSubscriptions(world, userId).filter(({ status }) => status === 'active')

test('cancelling after a failed charge keeps the period that was paid before', async () => {
  const subscriber = await subscribe(world, ours)
  const readPurchase = async () => (await userState(world, subscriber.id)).purchases[0]
  const renew = async (fail: boolean) => {
    await world.mollie.renew(listSubscriptions(world, subscriber.id)[0]!.id, { fail })
    await world.mollie.drainWebhooks()
  }
  await renew(false)
  const paid = await readPurchase()
  await renew(true)
  expect(await readPurchase()).toMatchObject({ status: 'past_due' })
  expect(parseCancelled(await cancelAsUser(world, subscriber))).toMatchObject({ cancel_at: paid?.current_period_end })
})

test('a purchase that is cancelled before its subscription is created at Mollie never gets one', async () => {
  const { shop, passes } = await openMollieShop(world)
  world.mollie.slowMandates = true
  const subscriber = await subscribe(world, shop)
  const readPurchase = async () => (await userState(shop, subscriber.id)).purchases[0]
  const before = await readPurchase()
  expect(parseCancelled(await cancelAsUser(world, subscriber))).toMatchObject({ cancel_at: before?.current_period_end })
  await expect.poll(readPurchase).toMatchObject({ cancel_at_period_end: true })
  world.mollie.slowMandates = false
  world.mollie.forgetKeys()
  await passes('8d')
  expect(listSubscriptions(world, subscriber.id)).toEqual([])
  expect(await readPurchase()).toMatchObject({ status: 'active', cancel_at_period_end: true })
})

test('a buyer who cancels while the subscription is being created is never charged again', async () => {
  const { shop, passes } = await openMollieShop(world)
  world.mollie.slowMandates = true
  const subscriber = await subscribe(world, shop)
  world.mollie.slowMandates = false
  world.mollie.forgetKeys()
  const arrived = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  world.mollie.onCall = async ({ method, path }, run) => {
    if (method === 'POST' && path.endsWith('/subscriptions')) {
      arrived.resolve()
      await gate.promise
    }
    return run()
  }
  const reconciliation = passes('8d')
  await arrived.promise
  parseCancelled(await cancelAsUser(world, subscriber))
  gate.resolve()
  await reconciliation
  world.mollie.onCall = undefined
  await passes('3w')
  expect(activeSubscriptions(subscriber.id)).toEqual([])
})

test('a cancellation that cannot find the subscription fails, and can be repeated', async () => {
  const subscriber = await subscribe(world, ours)
  world.mollie.failNext(`/v2/customers/${subscriber.customer}/subscriptions`, 404)
  expect(await cancelAsUser(world, subscriber)).toMatchObject({ status: 502, body: { error: 'processor_rejected' } })
  parseCancelled(await cancelAsUser(world, subscriber))
  expect(activeSubscriptions(subscriber.id)).toEqual([])
})

test('a cancelled subscription is not created again if Mollie says for a moment that the customer does not exist', async () => {
  const { shop, passes } = await openMollieShop(world)
  const subscriber = await subscribe(world, shop)
  const { cancel_at } = parseCancelled(await cancelAsUser(world, subscriber))
  await expect
    .poll(async () => (await userState(shop, subscriber.id)).purchases[0])
    .toMatchObject({ cancel_at_period_end: true })
  world.mollie.forgetKeys()
  await passUntil(shop, cancel_at, 0)
  const path = `/v2/customers/${subscriber.customer}/subscriptions`
  world.mollie.failNext(path, 404)
  expect(await countCalls(path, () => passes('40m'))).toBeGreaterThan(0)
  const [again] = activeSubscriptions(subscriber.id)
  if (again) await world.mollie.renew(again.id) // Its start date is today: charged within hours, before the next poll.
  await world.mollie.drainWebhooks()
  const paid = getPayments(world, subscriber.id).map(({ status, sequenceType }) => `${sequenceType} ${status}`)
  const state = await userState(shop, subscriber.id)
  expect([again?.startDate, paid, state.paid]).toEqual([undefined, ['first paid'], false])
})

test('a payment that is paid between the two reads of a return leads to the thanks page', async () => {
  world.mollie.holdWebhooks()
  const { paymentId, back } = await payFirst(world, 'monthly', { action: 'transfer' })
  let reads = 0
  world.mollie.onCall = async ({ method, path }, run) => {
    const answer = await run()
    if (method === 'GET' && path.endsWith(`/payments/${paymentId}`) && reads++ === 0)
      await world.mollie.resolvePayment(paymentId)
    return answer
  }
  expect((await call(world, back)).headers.location).toContain('https://owner.example/thanks')
})

test('a transfer that arrives after a week without a webhook is found', async () => {
  const { shop, passes } = await openMollieShop(world)
  const { userId, paymentId } = await payFirst(shop, 'monthly', { action: 'transfer' })
  await passes('8d')
  world.mollie.holdWebhooks()
  await world.mollie.resolvePayment(paymentId)
  await passes('6d')
  expect(await userState(shop, userId)).toMatchObject({ purchases: [{ status: 'active' }] })
})

test('a charge whose metadata is a JSON string, or missing, creates no purchase', async () => {
  const { userId, subscriptionId } = await subscribeAtMollie(world)
  world.mollie.holdWebhooks()
  await world.mollie.renew(subscriptionId)
  const event = structuredClone(world.mollie.events.at(-1)!)
  const entity: { id: string; metadata?: unknown } = event._embedded.entity
  entity.metadata = JSON.stringify(entity.metadata)
  expect(await postMollieWebhook(world, JSON.stringify(event))).toMatchObject({ status: 200 })
  const { metadata, ...bare } = entity
  const withoutMetadata = { ...event, id: 'event_bare', _embedded: { entity: bare } }
  expect(await postMollieWebhook(world, JSON.stringify(withoutMetadata))).toMatchObject({ status: 200 })
  expect((await userState(world, userId)).purchases).toMatchObject([{ interval: 'month' }])
  const renewals = (await ownerEvents(world, userId)).filter(({ type }) => type === 'subscription.renewed')
  expect(renewals).toHaveLength(1)
})

test('a subscription that ended long ago is not created again', async () => {
  const { shop, passes } = await openMollieShop(world)
  world.mollie.slowMandates = true
  const { userId, paymentId, back } = await payFirst(shop)
  await call(world, back)
  await passes('90d')
  expect(await userState(shop, userId)).toMatchObject({ purchases: [{ status: 'canceled' }] })
  world.mollie.slowMandates = false
  world.mollie.forgetKeys()
  await world.mollie.refund(paymentId, '1.00')
  await world.mollie.drainWebhooks()
  expect(activeSubscriptions(userId)).toEqual([])
})

test('a full refund before there is a subscription ends access, and is reported', async () => {
  world.mollie.slowMandates = true
  const { userId, paymentId, back } = await payFirst(world)
  await call(world, back)
  await world.mollie.drainWebhooks()
  expect((await userState(world, userId)).paid).toBe(true)
  await world.mollie.refund(paymentId)
  await world.mollie.drainWebhooks()
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
  const types = (await ownerEvents(world, userId)).map(({ type }) => type).slice(3)
  expect(types).toEqual(['subscription.ended', 'payment.refunded'])
})

test('a purchase whose customer was deleted at Mollie keeps what was paid', async () => {
  const { shop, passes } = await openMollieShop(world)
  const subscriber = await subscribe(world, shop)
  await passes('33d')
  expect(getPayments(world, subscriber.id)).toHaveLength(2)
  const path = `/v2/customers/${subscriber.customer}/subscriptions`
  world.mollie.failNext(path, 410)
  world.mollie.failNext(path, 410)
  expect(await countCalls(path, () => passes('8d'))).toBeGreaterThan(0)
  expect(await userState(shop, subscriber.id)).toMatchObject({ paid: true })
})

test('a past due user gets no access if Mollie says for a moment that the customer does not exist', async () => {
  const { shop, passes } = await openMollieShop(world)
  const subscriber = await subscribe(world, shop)
  const [subscription] = listSubscriptions(world, subscriber.id)
  await world.mollie.renew(subscription!.id, { fail: true })
  await passes('8d')
  expect(await userState(shop, subscriber.id)).toMatchObject({ paid: false, purchases: [{ status: 'past_due' }] })
  world.mollie.forgetKeys()
  const path = `/v2/customers/${subscriber.customer}/subscriptions`
  world.mollie.failNext(path, 404)
  expect(await countCalls(path, () => passes('8d'))).toBeGreaterThan(0)
  expect(await userState(shop, subscriber.id)).toMatchObject({ paid: false, purchases: [{ status: 'past_due' }] })
})

test('a chargeback.reversed webhook alone reports that the seller has won', async () => {
  const { userId, paymentId } = await payFirst(world)
  const { id } = await world.mollie.chargeback(paymentId)
  await world.mollie.drainWebhooks()
  world.mollie.holdWebhooks()
  await world.mollie.reverseChargeback(id)
  await world.mollie.sendHeldWebhooks(() => [])
  const reported = async () => (await ownerEvents(world, userId)).map(({ type }) => type)
  expect(await reported()).not.toContain('payment.dispute_won')
  const event = world.mollie.events.findLast(({ type }) => type === 'chargeback.reversed')
  expect(await postMollieWebhook(world, JSON.stringify(event))).toMatchObject({ status: 200 })
  expect(await reported()).toContain('payment.dispute_won')
  expect(await userState(world, userId)).toMatchObject({ paid: true })
})

test('a first payment charged back before its first read starts the subscription once the chargeback is reversed', async () => {
  const { shop, passes } = await openMollieShop(world)
  world.mollie.holdWebhooks()
  const { userId, paymentId } = await payFirst(shop)
  const { id } = await world.mollie.chargeback(paymentId)
  await passes('16m')
  expect(await userState(shop, userId)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
  await world.mollie.reverseChargeback(id)
  await world.mollie.sendHeldWebhooks(() => [])
  await passes('2d')
  expect(await userState(shop, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  expect(activeSubscriptions(userId)).toHaveLength(1)
})
