import { expect, test } from 'vitest'
import { firstPayment, getEntity, startMollie, startReceiver } from './fixture.ts'

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
