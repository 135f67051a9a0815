import { expect, test } from 'vitest'
import { ACME, buy, getId, paymentOrder, startReceiver, startStripe, subscriptionOrder } from './fixture.ts'

test('reports a paid subscription in signed events of this API version', async () => {
  const receiver = await startReceiver()
  const { emulator, stripe } = await startStripe({ serviceUrl: receiver.url })
  const session = await buy(stripe, subscriptionOrder())
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual([
    'charge.succeeded',
    'checkout.session.completed',
    'customer.subscription.created',
    'invoice.paid',
    'payment_intent.succeeded',
  ])
  const completed = receiver.deliveries.find(({ event }) => event.type === 'checkout.session.completed')
  expect(completed?.event).toMatchObject({
    object: 'event',
    api_version: '2026-10-28.endive',
    livemode: false,
    request: { id: null },
    data: { object: { id: session.id, subscription: session.subscription, payment_status: 'paid' } },
  })
})

test('reports a trial, a one-time payment and an expired session', async () => {
  const receiver = await startReceiver()
  const { emulator, stripe } = await startStripe({ serviceUrl: receiver.url })
  await buy(stripe, subscriptionOrder({ subscription_data: { trial_period_days: 3 } }))
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['checkout.session.completed', 'customer.subscription.created', 'invoice.paid'])

  receiver.deliveries.length = 0
  await buy(stripe, paymentOrder())
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['charge.succeeded', 'checkout.session.completed', 'payment_intent.succeeded'])

  receiver.deliveries.length = 0
  const { id } = await stripe.checkout.sessions.create(subscriptionOrder())
  await stripe.checkout.sessions.expire(id, {}, { idempotencyKey: 'expire-1' })
  await emulator.drainWebhooks()
  expect(receiver.deliveries[0]?.event).toMatchObject({
    type: 'checkout.session.expired',
    request: { id: expect.stringMatching(/^req_/), idempotency_key: 'expire-1' },
  })
})

test('reports what an update changed, and sends no event if it changed nothing', async () => {
  const receiver = await startReceiver()
  const { emulator, stripe } = await startStripe({ serviceUrl: receiver.url })
  const id = getId((await buy(stripe, subscriptionOrder())).subscription)
  await emulator.drainWebhooks()
  receiver.deliveries.length = 0
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['customer.subscription.updated'])
  expect(receiver.deliveries[0]?.event.data.previous_attributes).toEqual({
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { reason: null },
  })
})

test('sends an event again, unchanged, until it is accepted', async () => {
  const receiver = await startReceiver([ACME], [500, 302])
  const { emulator, stripe } = await startStripe({ serviceUrl: receiver.url })
  const { id } = await stripe.checkout.sessions.create(subscriptionOrder())
  await stripe.checkout.sessions.expire(id)
  await emulator.drainWebhooks()
  expect(receiver.deliveries).toHaveLength(3)
  expect(new Set(receiver.deliveries.map(({ body }) => body)).size).toBe(1)
})

test('sends to every paywall of the account, each signed with its own secret, and to no other', async () => {
  const accounts = [
    ACME,
    { ...ACME, paywallId: '1002', webhookSecret: 'whsec_second' },
    { ...ACME, paywallId: '2001', secretKey: 'sk_test_other_0123456789', webhookSecret: 'whsec_other' },
  ]
  const receiver = await startReceiver(accounts)
  const { emulator, stripe } = await startStripe({ accounts, serviceUrl: receiver.url })
  const { id } = await stripe.checkout.sessions.create(subscriptionOrder())
  await stripe.checkout.sessions.expire(id)
  await emulator.drainWebhooks()
  expect(receiver.deliveries.map(({ paywallId }) => paywallId).sort()).toEqual(['1001', '1002'])
})

test('holds events and releases them in the order chosen, repeated or lost', async () => {
  const receiver = await startReceiver()
  const { emulator, stripe } = await startStripe({ serviceUrl: receiver.url })
  emulator.holdWebhooks()
  await buy(stripe, subscriptionOrder({ subscription_data: { trial_period_days: 3 } }))
  await emulator.drainWebhooks()
  expect(receiver.deliveries).toEqual([])

  const statuses = await emulator.sendHeldWebhooks((events) => {
    const kept = events.filter(({ type }) => type !== 'invoice.paid').reverse()
    return [...kept, ...kept]
  })
  expect(statuses).toEqual([200, 200, 200, 200])
  expect(receiver.deliveries.map(({ event }) => event.type)).toEqual([
    'checkout.session.completed',
    'customer.subscription.created',
    'checkout.session.completed',
    'customer.subscription.created',
  ])
  expect(emulator.events.map(({ pending_webhooks: pending }) => pending)).toEqual([0, 0, 0])
})

test('resends an event on demand', async () => {
  const receiver = await startReceiver()
  const { emulator, stripe } = await startStripe({ serviceUrl: receiver.url })
  const { id } = await stripe.checkout.sessions.create(subscriptionOrder())
  await stripe.checkout.sessions.expire(id)
  await emulator.drainWebhooks()
  const [event] = emulator.events
  const both = [emulator.resend(event?.id ?? ''), emulator.resend(event?.id ?? '')]
  expect(await Promise.all(both)).toEqual([[200], [200]])
  expect(receiver.deliveries).toHaveLength(3)
})
