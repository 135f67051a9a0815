import { expect, test } from 'vitest'
import { firstPayment, getEntity, startMollie, startReceiver, subscriptionRequest } from './fixture.ts'

const DAY = 24 * 3600

async function startWithPayment() {
  const receiver = await startReceiver()
  const { emulator, mollie } = await startMollie({ serviceUrl: receiver.url })
  const { payment } = await firstPayment(mollie)
  const paymentId = payment.id
  const types = async () => {
    await emulator.drainWebhooks()
    return receiver.types().filter((type) => !type?.startsWith('payment.'))
  }
  const createRefund = (value: string) =>
    mollie.refunds.create({ paymentId, refundRequest: { amount: { currency: 'EUR', value } } })
  return {
    receiver,
    emulator,
    mollie,
    paymentId,
    types,
    createRefund,
    fetched: () => mollie.payments.get({ paymentId }),
  }
}

test('a slow refund is queued, pending and processing before it is refunded, and reduces the remaining amount from the start', async () => {
  const { emulator, mollie, paymentId, types, createRefund, fetched } = await startWithPayment()
  emulator.slowRefunds = true
  const { id: refundId, status } = await createRefund('4.00')
  expect(status).toBe('queued')
  expect(await fetched()).toMatchObject({ amountRefunded: { value: '4.00' }, amountRemaining: { value: '5.99' } })
  await expect(createRefund('6.00')).rejects.toMatchObject({ statusCode: 422, field: 'amount' })
  for (const next of ['pending', 'processing', 'refunded']) {
    await emulator.stepRefund(refundId)
    expect(await mollie.refunds.get({ paymentId, refundId })).toMatchObject({ status: next, amount: { value: '4.00' } })
  }
  await expect(emulator.stepRefund(refundId)).rejects.toThrow(/is refunded/)
  expect((await types()).sort()).toEqual(['refund.pending', 'refund.processing', 'refund.queued', 'refund.refunded'])
})

test('a failed refund leaves the money with the seller, who can try again', async () => {
  const { emulator, types, createRefund, fetched } = await startWithPayment()
  emulator.slowRefunds = true
  const refund = await createRefund('9.99')
  await emulator.stepRefund(refund.id)
  expect(await emulator.stepRefund(refund.id, { fail: true })).toMatchObject({ status: 'failed' })
  expect(await fetched()).toMatchObject({ amountRefunded: { value: '0.00' }, amountRemaining: { value: '9.99' } })
  expect((await types()).sort()).toEqual(['refund.failed', 'refund.pending', 'refund.queued'])
  emulator.slowRefunds = false
  await emulator.moveTo('1001', emulator.currentTime('1001') + DAY) // the same refund at once would be taken for a repetition
  expect(await createRefund('9.99')).toMatchObject({ status: 'refunded' })
})

test('a reversed chargeback returns the money to the seller, and the bank may take it back once more', async () => {
  const { receiver, emulator, mollie, paymentId, types, fetched } = await startWithPayment()
  const { id } = await emulator.chargeback(paymentId)
  expect(await fetched()).toMatchObject({ amountChargedBack: { value: '9.99' } })
  expect(await emulator.reverseChargeback(id)).toMatchObject({ id, reversedAt: expect.any(String) })
  expect((await fetched()).amountChargedBack).toBeUndefined()
  const { result } = await mollie.chargebacks.list({ paymentId })
  expect(result.embedded.chargebacks).toMatchObject([{ id, reversedAt: expect.any(String) }])
  expect((await types()).sort()).toEqual(['chargeback.received', 'chargeback.reversed'])
  const reversed = receiver.deliveries.find(({ event }) => event.webhookEventTypes === 'chargeback.reversed')
  expect(reversed && getEntity(reversed)).toMatchObject({ id, paymentId, reversedAt: expect.any(String) })
  await expect(emulator.reverseChargeback(id)).rejects.toThrow(/is won/)
  expect(await emulator.chargeback(paymentId)).toMatchObject({ reversedAt: null })
})

test("a payment can be charged back with a bank's reason code", async () => {
  const { emulator, mollie } = await startMollie()
  const { payment } = await firstPayment(mollie)
  const chargeback = await emulator.chargeback(payment.id, { code: 'AC01' })
  expect(chargeback).toMatchObject({ reason: { code: 'AC01', description: expect.stringContaining('IBAN') } })
  expect(await mollie.payments.get({ paymentId: payment.id })).toMatchObject({
    status: 'paid',
    amountChargedBack: payment.amount,
  })
})

test('a declined direct debit is charged back days after it was paid, or fails at once if letDebitsBounce is off', async () => {
  const { emulator, mollie } = await startMollie()
  const { payment, customerId } = await firstPayment(mollie, { method: 'ideal' })
  expect(payment).toMatchObject({ status: 'paid' })
  const request = subscriptionRequest({})
  const { id: subscriptionId } = await mollie.subscriptions.create({ customerId, subscriptionRequest: request })
  const payments = async () =>
    (await mollie.subscriptions.listPayments({ customerId, subscriptionId })).result.embedded.payments ?? []
  await emulator.declineCharges(customerId)
  await emulator.moveTo('1001', emulator.currentTime('1001') + DAY)
  expect((await payments()).map(({ status }) => status)).toEqual(['paid'])
  await emulator.moveTo('1001', emulator.currentTime('1001') + 4 * DAY)
  const [bounced] = await payments()
  expect(bounced).toMatchObject({ status: 'paid', amountChargedBack: bounced?.amount })
  expect(emulator.events.at(-1)).toMatchObject({ type: 'chargeback.received' })

  await emulator.letDebitsBounce('1001', false)
  await emulator.moveTo('1001', emulator.currentTime('1001') + 31 * DAY)
  expect((await payments()).map(({ status }) => status)).toEqual(['failed', 'paid'])
})

test('a refund that has succeeded fails days later', async () => {
  const { emulator, mollie } = await startMollie()
  const { payment } = await firstPayment(mollie)
  const refund = await emulator.refund(payment.id)
  expect(await emulator.failRefund(refund.id)).toMatchObject({ status: 'failed' })
  expect(emulator.events.map(({ type }) => type).slice(-2)).toEqual(['refund.refunded', 'refund.failed'])
})
