import { expect, test } from 'vitest'
import { ACME, buy, LIFETIME, monthlyOrder, startPolar, startReceiver, TRIAL } from './fixture.ts'

test('reports a paid subscription in events that the official SDK verifies', async () => {
  const receiver = await startReceiver()
  const { emulator, polar } = await startPolar({ serviceUrl: receiver.url })
  const { checkout, order, id } = await buy(polar)
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual([
    'checkout.updated',
    'order.created',
    'order.paid',
    'order.updated',
    'subscription.active',
    'subscription.created',
    'subscription.updated',
  ])
  const paid = receiver.deliveries.find(({ event }) => event.type === 'order.paid')
  expect(paid?.event.data).toEqual(order)
  expect(paid?.headers).toMatchObject({ 'webhook-api-version': '2026-10', 'user-agent': 'polar.sh webhooks' })
  expect(Object.keys(JSON.parse(paid?.body ?? ''))).toEqual(['type', 'timestamp', 'data'])
  const updated = receiver.deliveries.find(({ event }) => event.type === 'checkout.updated')
  expect(updated?.event.data).toMatchObject({ id: checkout.id, status: 'succeeded' })
  expect((await polar.subscriptions.get(id)).id).toBe(id)
})

test('signs with the raw text of a secret in the older format', async () => {
  const accounts = [{ ...ACME, webhookSecret: 'polar_whs_made_before_september' }]
  const receiver = await startReceiver(accounts)
  const { emulator, polar } = await startPolar({ accounts, serviceUrl: receiver.url })
  await buy(polar, monthlyOrder({ products: [LIFETIME] }))
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['checkout.updated', 'order.created', 'order.paid'])
})

test('sends a specific event in addition to subscription.updated for each change', async () => {
  const receiver = await startReceiver()
  const { emulator, polar } = await startPolar({ serviceUrl: receiver.url })
  const { id } = await buy(polar, monthlyOrder(TRIAL))
  const typesAfter = async (change: () => Promise<unknown>) => {
    await emulator.drainWebhooks()
    receiver.deliveries.length = 0
    await change()
    await emulator.drainWebhooks()
    return receiver.types()
  }
  const cancel = () => polar.subscriptions.update(id, { cancel_at_period_end: true })
  expect(await typesAfter(cancel)).toEqual(['subscription.canceled', 'subscription.updated'])
  expect(await typesAfter(() => emulator.portalUndo(id))).toEqual(['subscription.uncanceled', 'subscription.updated'])
  expect(await typesAfter(() => emulator.rollOver(id))).toEqual(['subscription.cycled', 'subscription.updated'])
  expect(await typesAfter(() => emulator.renew(id, { fail: true }))).toEqual([
    'order.created',
    'order.updated',
    'subscription.past_due',
    'subscription.updated',
  ])
  expect(await typesAfter(() => emulator.renew(id))).toEqual([
    'order.paid',
    'order.updated',
    'subscription.active',
    'subscription.updated',
  ])
  expect(await typesAfter(() => emulator.pause(id))).toEqual(['subscription.paused', 'subscription.updated'])
  expect(await typesAfter(() => emulator.resume(id))).toEqual(['subscription.resumed', 'subscription.updated'])
  expect(await typesAfter(() => emulator.end(id))).toEqual([
    'subscription.canceled',
    'subscription.revoked',
    'subscription.updated',
  ])
})

test('reports refunds, and a dispute only if a refund prevents it', async () => {
  const receiver = await startReceiver()
  const { emulator, polar } = await startPolar({ serviceUrl: receiver.url })
  const [one, other] = [await buy(polar, monthlyOrder({ products: [LIFETIME] })), await buy(polar)]
  await emulator.drainWebhooks()
  receiver.deliveries.length = 0
  const refunded = ['order.refunded', 'order.updated', 'refund.created']
  await polar.refunds.create({ order_id: one.order.id, amount: 100, reason: 'other' })
  await emulator.closeDispute((await emulator.dispute(one.order.id)).id)
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual(refunded)
  receiver.deliveries.length = 0
  await emulator.preventDispute(other.order.id)
  await emulator.drainWebhooks()
  const ended = ['subscription.canceled', 'subscription.revoked', 'subscription.updated']
  expect(receiver.types()).toEqual([...refunded, ...ended])
  const [refund] = receiver.deliveries.filter(({ event }) => event.type === 'refund.created')
  expect(refund?.event.data).toMatchObject({ status: 'succeeded', dispute: { status: 'prevented', closed: true } })
})

test('resends an event with the same id until it is accepted; a redirect does not count', async () => {
  const receiver = await startReceiver([ACME], [500, 302])
  const { emulator, polar } = await startPolar({ serviceUrl: receiver.url })
  await emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + 60)
  const checkout = await polar.checkouts.create(monthlyOrder())
  await emulator.moveTo(ACME.paywallId, Date.parse(checkout.expires_at) / 1000 + 3600)
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['checkout.expired', 'checkout.expired', 'checkout.expired'])
  expect(new Set(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('holds events and releases them in the order chosen, repeated or lost', async () => {
  const receiver = await startReceiver()
  const { emulator, polar } = await startPolar({ serviceUrl: receiver.url })
  emulator.holdWebhooks()
  await buy(polar, monthlyOrder({ products: [LIFETIME] }))
  await emulator.sendHeldWebhooks((events) => {
    const kept = events.filter(({ type }) => type !== 'order.created')
    return [...kept.reverse(), ...kept]
  })
  expect(receiver.types()).toEqual(['checkout.updated', 'checkout.updated', 'order.paid', 'order.paid'])
  await emulator.resend(emulator.events[0]?.id ?? '')
  expect(receiver.deliveries).toHaveLength(5)
})

test('disables an endpoint after ten failed events in a row and skips pending ones, until the owner enables it', async () => {
  const answers: number[] = []
  const receiver = await startReceiver([ACME], answers)
  const { emulator, polar } = await startPolar({ serviceUrl: receiver.url })
  const { id } = await buy(polar)
  await emulator.drainWebhooks()
  const last = emulator.events.at(-1)?.id ?? ''
  const wait = (minutes: number) => emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + minutes * 60)
  const cancelAndUndo = async () => {
    await emulator.portalCancel(id)
    await emulator.portalUndo(id)
    await wait(60)
  }
  const fail = () => answers.push(...Array(200).fill(500))
  fail()
  for (let times = 0; times < 2; times++) await cancelAndUndo()
  answers.length = 0
  await cancelAndUndo()
  fail()
  for (let times = 0; times < 2; times++) await cancelAndUndo()
  expect(await emulator.resend(last)).toEqual([500])
  await emulator.portalCancel(id)
  await wait(20)
  await emulator.portalUndo(id)
  expect(emulator.records.deliveries.size).toBe(4)
  await wait(20)
  expect(emulator.records.deliveries.size).toBe(0)
  expect(await emulator.resend(last)).toEqual([])

  receiver.deliveries.length = 0
  answers.length = 0
  await cancelAndUndo()
  expect(receiver.types()).toEqual([])
  await emulator.setDisabledEndpoints(ACME.paywallId, [])
  await cancelAndUndo()
  expect(receiver.types()).toEqual([
    'subscription.canceled',
    'subscription.uncanceled',
    'subscription.updated',
    'subscription.updated',
  ])
})
