import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { close, listen } from '../../../../dev/emulators/core/listen.ts'
import { ACME, firstPayment, getEntity, order, startMollie, startReceiver, subscribe } from './fixture.ts'

test('reports payments, refunds and chargebacks in signed events, and nothing about subscriptions', async () => {
  const receiver = await startReceiver()
  const { emulator, mollie } = await startMollie({ serviceUrl: receiver.url })
  const lastDelivery = async () => {
    await emulator.drainWebhooks()
    return receiver.deliveries.at(-1)
  }
  const { customerId, payment, subscription } = await subscribe(mollie)
  const paid = await lastDelivery()
  expect(paid).toMatchObject({ event: { resource: 'event', webhookEventTypes: 'payment.paid', entityId: payment.id } })
  expect(paid?.event.id).toMatch(/^event_/)
  expect(paid?.event.embedded?.entity).toEqual(payment)

  const renewal = await emulator.renew(subscription.id)
  expect((await lastDelivery())?.event).toMatchObject({
    entityId: renewal.id,
    embedded: { entity: { status: 'paid' } },
  })
  const refund = await emulator.refund(renewal.id, '1.00')
  expect((await lastDelivery())?.event).toMatchObject({ webhookEventTypes: 'refund.refunded', entityId: refund.id })
  const chargeback = await emulator.chargeback(renewal.id)
  const back = await lastDelivery()
  expect(back?.event).toMatchObject({ webhookEventTypes: 'chargeback.received', entityId: chargeback.id })
  expect(back && getEntity(back)).toMatchObject({ resource: 'chargeback', paymentId: renewal.id })

  await mollie.subscriptions.cancel({ customerId, subscriptionId: subscription.id })
  const open = await mollie.payments.create({ paymentRequest: order({ method: 'banktransfer' }) })
  await mollie.payments.cancel({ paymentId: open.id })
  await lastDelivery()
  expect(receiver.types()).toEqual([
    'payment.paid',
    'payment.paid',
    'refund.refunded',
    'chargeback.received',
    'payment.canceled',
  ])
})

test('sends an event with its entity as of that time, also when it is resent later', async () => {
  const receiver = await startReceiver()
  const { emulator, mollie } = await startMollie({ serviceUrl: receiver.url })
  const { payment } = await firstPayment(mollie)
  await emulator.drainWebhooks()
  await emulator.refund(payment.id)
  await emulator.drainWebhooks()
  await emulator.resend(emulator.events[0]?.id ?? '')
  expect(receiver.deliveries.at(-1)?.event.embedded?.entity).toEqual(payment)
  expect(await mollie.payments.get({ paymentId: payment.id })).not.toEqual(payment)
})

test('sends an event again, unchanged, until it is accepted', async () => {
  const receiver = await startReceiver([ACME], [500])
  const { emulator, mollie } = await startMollie({ serviceUrl: receiver.url })
  await firstPayment(mollie)
  await emulator.drainWebhooks()
  expect(receiver.deliveries).toHaveLength(2)
  expect(receiver.deliveries[1]?.body).toBe(receiver.deliveries[0]?.body)
})

test('sends to every paywall of the account, each signed with its own secret, and to no other', async () => {
  const accounts = [
    ACME,
    { ...ACME, paywallId: '1002', webhookSecret: 'whsec_second' },
    { ...ACME, paywallId: '2001', apiKey: 'test_other_0123456789', webhookSecret: 'whsec_other' },
  ]
  const receiver = await startReceiver(accounts)
  const { emulator, mollie } = await startMollie({ accounts, serviceUrl: receiver.url })
  await firstPayment(mollie)
  await emulator.drainWebhooks()
  expect(receiver.deliveries.map(({ paywallId }) => paywallId).sort()).toEqual(['1001', '1002'])
})

test('holds events, releases them in the order chosen, repeated or lost, and resends one', async () => {
  const receiver = await startReceiver()
  const { emulator, mollie } = await startMollie({ serviceUrl: receiver.url })
  emulator.holdWebhooks()
  const { payment } = await firstPayment(mollie)
  const refund = await emulator.refund(payment.id, '1.00')
  await emulator.chargeback(payment.id)
  await emulator.drainWebhooks()
  expect(receiver.deliveries).toEqual([])

  const statuses = await emulator.sendHeldWebhooks((events) => {
    const kept = events.filter(({ type }) => type !== 'chargeback.received').reverse()
    return [...kept, ...kept]
  })
  expect(statuses).toEqual([200, 200, 200, 200])
  expect(receiver.types()).toEqual(['refund.refunded', 'payment.paid', 'refund.refunded', 'payment.paid'])

  const event = emulator.events.find(({ entityId }) => entityId === refund.id)
  expect(await emulator.resend(event?.id ?? '')).toEqual([200])
  expect(receiver.types().at(-1)).toBe('refund.refunded')
})

test("retries a webhook on the processor's schedule as the clock moves, and gives up after the last attempt", async () => {
  let arrived = 0
  const server = createServer((request, response) => {
    arrived += 1
    request.resume()
    response.writeHead(500).end()
  })
  const serviceUrl = await listen(server, 0)
  onTestFinished(() => close(server))
  const { emulator, mollie } = await startMollie({ serviceUrl })
  await firstPayment(mollie)
  await emulator.moveTo('1001', emulator.currentTime('1001') + 27 * 3600)
  await emulator.drainWebhooks()
  expect(arrived).toBe(10)
  expect(emulator.nextDue('1001')).toBeNull()
})
