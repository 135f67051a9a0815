import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ACME, buyOnce, startChargebee, startReceiver, subscribe, verifyEvent } from './fixture.ts'

test("sends exactly the webhooks of a sale, with the paywall's user and password", async () => {
  const receiver = await startReceiver()
  const { emulator, chargebee } = await startChargebee({ serviceUrl: receiver.url })
  const { subscription, invoice, customer } = await subscribe(chargebee)
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['payment_succeeded', 'subscription_created'])
  const paid = receiver.deliveries.find(({ event }) => event.event_type === 'payment_succeeded')?.event
  expect(paid).toMatchObject({
    object: 'event',
    api_version: 'v2',
    content: {
      transaction: { type: 'payment', status: 'success', amount: 999, subscription_id: subscription.id },
      invoice: { id: invoice.id, status: 'paid' },
      customer: { id: customer.id },
      subscription: { id: subscription.id },
    },
  })
})

test('the SDK rejects a webhook with another password', async () => {
  const receiver = await startReceiver([{ ...ACME, webhookPassword: 'another' }])
  const { emulator, chargebee } = await startChargebee({ serviceUrl: receiver.url })
  emulator.holdWebhooks()
  await subscribe(chargebee)
  expect(await emulator.sendHeldWebhooks((events) => events.slice(0, 1))).toEqual([401])
  expect(receiver.deliveries).toEqual([])
  const authorization = `Basic ${Buffer.from(`${ACME.webhookUser}:${ACME.webhookPassword}`).toString('base64')}`
  expect(await verifyEvent({ authorization }, '{"id":"ev_1","event_type":"x"}', ACME)).toMatchObject({ id: 'ev_1' })
})

test('sends an event to every paywall of the site, and retries until it is accepted', async () => {
  const accounts = [ACME, { ...ACME, paywallId: '1002', webhookPassword: 'second' }]
  const receiver = await startReceiver(accounts, [500, 302])
  const { emulator, chargebee } = await startChargebee({ accounts, serviceUrl: receiver.url })
  await buyOnce(chargebee)
  await emulator.drainWebhooks()
  expect(receiver.deliveries).toHaveLength(4)
  expect(new Set(receiver.deliveries.map(({ body }) => JSON.parse(body).id)).size).toBe(1)
  expect(new Set(receiver.deliveries.map(({ paywallId }) => paywallId))).toEqual(new Set(['1001', '1002']))
})

test('retries eight times within four days, then gives up', async () => {
  const answers = Array.from({ length: 20 }, () => 500)
  const receiver = await startReceiver([ACME], answers)
  const { emulator, chargebee } = await startChargebee({ serviceUrl: receiver.url })
  await buyOnce(chargebee)
  await emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + 4 * 24 * 3600)
  await emulator.drainWebhooks()
  expect(receiver.deliveries).toHaveLength(8)
  expect(emulator.nextDue(ACME.paywallId)).toBeNull()
})

test('refunds in full or in part, at once or later, with a credit note', async () => {
  const receiver = await startReceiver()
  const { emulator, chargebee } = await startChargebee({ serviceUrl: receiver.url })
  const { invoice } = await buyOnce(chargebee)
  const { transaction, credit_note: note } = await chargebee.invoice.refund(invoice.id, { refund_amount: 900 })
  expect(transaction).toMatchObject({ type: 'refund', status: 'success', amount: 900 })
  expect(note).toMatchObject({ status: 'refunded', reference_invoice_id: invoice.id, total: 900 })
  await expect(chargebee.invoice.refund(invoice.id, { refund_amount: 4001 })).rejects.toMatchObject({
    param: 'refund_amount',
  })
  emulator.slowRefunds = true
  const slow = await chargebee.invoice.refund(invoice.id)
  expect(slow.transaction).toMatchObject({ status: 'in_progress', amount: 4000 })
  await emulator.resolveRefund(slow.transaction.id)
  const read = await chargebee.transaction.retrieve(slow.transaction.id)
  expect(read.transaction.status).toBe('success')
  const { issued_credit_notes: notes } = (await chargebee.invoice.retrieve(invoice.id)).invoice
  expect(notes).toMatchObject([{ cn_status: 'refunded' }, { cn_status: 'refunded' }])
  await emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['payment_refunded', 'payment_refunded', 'payment_succeeded', 'refund_initiated'])
})

test('a failed refund changes nothing', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { invoice } = await buyOnce(chargebee)
  emulator.slowRefunds = true
  const { transaction } = await chargebee.invoice.refund(invoice.id)
  await emulator.resolveRefund(transaction.id, { fail: true })
  expect((await chargebee.transaction.retrieve(transaction.id)).transaction.status).toBe('failure')
  expect(emulator.events.at(-1)).toMatchObject({ event_type: 'transaction_updated' })
})

test('an invoice whose payment the bank reverses is due until the seller wins', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { subscription, invoice } = await subscribe(chargebee)
  const [payment] = emulator.payments
  const dispute = await emulator.dispute(payment?.id ?? '')
  const read = async () => (await chargebee.subscription.retrieve(subscription.id)).subscription.due_invoices_count
  expect(await read()).toBe(1)
  const { transaction } = await chargebee.transaction.retrieve(dispute.id)
  expect(transaction).toMatchObject({ type: 'payment_reversal', status: 'success', subscription_id: subscription.id })
  const txn = (await chargebee.invoice.retrieve(invoice.id)).invoice.linked_payments?.[0]
  expect(txn).toMatchObject({ txn_status: 'late_failure' })
  expect(emulator.events.slice(-2).map(({ event_type: type }) => type)).toEqual([
    'transaction_created',
    'invoice_updated',
  ])
  await emulator.closeDispute(dispute.id, { won: true })
  expect(await read()).toBe(0)
})

test.each([
  ['a subscription', subscribe],
  ['a one-time sale', buyOnce],
])('an invoice of %s can be charged again after its payment was reversed', async (_, sell) => {
  const { emulator, chargebee } = await startChargebee()
  const { invoice } = await sell(chargebee)
  const payment = String(emulator.payments[0]?.id)
  const read = async () => {
    const { status, linked_payments: payments = [] } = (await chargebee.invoice.retrieve(invoice.id)).invoice
    return [status, ...payments.map(({ txn_status }) => txn_status)]
  }
  await expect(emulator.collectAgain(payment)).rejects.toThrow()
  await emulator.dispute(payment)
  await expect(emulator.dispute(payment)).rejects.toThrow()
  expect(await read()).toEqual(['not_paid', 'late_failure'])
  await emulator.collectAgain(payment)
  expect(emulator.events.at(-1)).toMatchObject({ event_type: 'payment_succeeded' })
  expect(await read()).toEqual(['paid', 'late_failure', 'success'])
  await emulator.dispute(payment)
  expect(await read()).toEqual(['not_paid', 'late_failure', 'late_failure'])
})

test('a chargeback can be a recorded refund with a credit note', async () => {
  const { emulator, chargebee } = await startChargebee()
  await buyOnce(chargebee)
  const transaction = await emulator.chargeback(emulator.payments[0]?.id ?? '')
  expect(transaction).toMatchObject({ type: 'refund', payment_method: 'chargeback' })
  expect(emulator.events.at(-1)).toMatchObject({
    event_type: 'payment_refunded',
    content: { credit_note: { reason_code: 'chargeback' } },
  })
})

test('a restart keeps subscriptions, and sends undelivered webhooks', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'chargebee-emulator-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const statePath = join(directory, 'chargebee.json')
  const first = await startChargebee({ statePath })
  const { subscription } = await subscribe(first.chargebee)
  await first.emulator.close()
  const receiver = await startReceiver()
  const second = await startChargebee({ statePath, serviceUrl: receiver.url })
  await second.emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['payment_succeeded', 'subscription_created'])
  expect((await second.chargebee.subscription.retrieve(subscription.id)).subscription.status).toBe('active')
})
