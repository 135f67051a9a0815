import { expect, test } from 'vitest'
import { firstPayment, startMollie, subscriptionRequest } from './fixture.ts'

test('a subscription on a pending mandate is pending, and is charged once the mandate is valid', async () => {
  const { emulator, mollie } = await startMollie()
  emulator.pendingMandates = true
  const { customerId, payment } = await firstPayment(mollie)
  const { result } = await mollie.mandates.list({ customerId })
  expect(result.embedded.mandates).toMatchObject([{ id: payment.mandateId, status: 'pending' }])
  const { id } = await mollie.subscriptions.create({ customerId, subscriptionRequest: subscriptionRequest() })
  const fetched = () => mollie.subscriptions.get({ customerId, subscriptionId: id })
  expect(await fetched()).toMatchObject({ status: 'pending', mandateId: payment.mandateId })
  await expect(emulator.renew(id)).rejects.toThrow(/is pending and makes no payments/)

  emulator.pendingMandates = false
  expect(await fetched()).toMatchObject({ status: 'active', nextPaymentDate: expect.any(String) })
  expect(await emulator.renew(id)).toMatchObject({ status: 'paid', subscriptionId: id })
})

test('a pending subscription can be cancelled', async () => {
  const { emulator, mollie } = await startMollie()
  const switched = await fetch(`${emulator.url}/_emulator/pending-mandates`, {
    method: 'POST',
    body: '{"pending":true}',
  })
  expect([switched.status, emulator.pendingMandates]).toEqual([200, true])
  const { customerId } = await firstPayment(mollie)
  const { id } = await mollie.subscriptions.create({ customerId, subscriptionRequest: subscriptionRequest() })
  const canceled = await mollie.subscriptions.cancel({ customerId, subscriptionId: id })
  expect(canceled).toMatchObject({ status: 'canceled' })
})
