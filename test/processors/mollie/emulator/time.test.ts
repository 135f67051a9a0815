import type * as models from 'mollie-api-typescript/models'
import { expect, test } from 'vitest'
import { firstPayment, startMollie, subscribe, subscriptionRequest } from './fixture.ts'

const DAY = 24 * 3600

async function startWithSubscription(more: Partial<models.SubscriptionRequest> = {}) {
  const { emulator, mollie } = await startMollie()
  const { subscription, ...rest } = await subscribe(mollie, more)
  return { emulator, mollie, subscription, id: subscription.id, ...rest }
}

test('a renewal is a payment dated on the day it was due, with the metadata of its subscription', async () => {
  const { emulator, id, customerId, payment, fetched, payments } = await startWithSubscription({
    startDate: '2099-03-15',
  })
  const renewal = await emulator.renew(id)
  expect(await fetched()).toMatchObject({ status: 'active', nextPaymentDate: '2099-04-15' })
  expect(await payments()).toMatchObject([
    {
      id: renewal.id,
      status: 'paid',
      sequenceType: 'recurring',
      subscriptionId: id,
      customerId,
      mandateId: payment.mandateId,
      metadata: { purchase_id: '1' },
      createdAt: '2099-03-15T04:00:00+00:00',
      paidAt: '2099-03-15T04:00:00+00:00',
      amount: { currency: 'EUR', value: '9.99' },
    },
  ])
  const next = await emulator.renew(id)
  expect((await payments()).map((one) => one.id)).toEqual([next.id, renewal.id])
})

test.each([
  ['2099-01-31', ['2099-02-28', '2099-03-31', '2099-04-30']],
  // "on the last day of each month", as the documentation of `interval` has it
  ['2099-04-30', ['2099-05-31', '2099-06-30', '2099-07-31']],
  ['2099-01-30', ['2099-02-28', '2099-03-30', '2099-04-30']],
])('charges a subscription that starts on %s on %j', async (startDate, expected) => {
  const { emulator, id, fetched } = await startWithSubscription({ startDate })
  const dates: unknown[] = []
  for (let month = 0; month < 3; month += 1) {
    await emulator.renew(id)
    dates.push((await fetched()).nextPaymentDate)
  }
  expect(dates).toEqual(expected)
})

test.each([
  ['2 weeks', '2099-02-14'],
  ['1 day', '2099-02-01'],
  ['12 months', '2100-01-31'],
])('charges again after %s', async (interval, next) => {
  const { emulator, id, fetched } = await startWithSubscription({ startDate: '2099-01-31', interval })
  await emulator.renew(id)
  expect(await fetched()).toMatchObject({ interval, nextPaymentDate: next })
})

test('a failed renewal does not end the subscription', async () => {
  const { emulator, id, fetched, payments } = await startWithSubscription({ startDate: '2099-03-15' })
  await emulator.renew(id, { fail: true })
  expect(await payments()).toMatchObject([{ status: 'failed', failedAt: '2099-03-15T04:00:00+00:00' }])
  expect(await fetched()).toMatchObject({ status: 'active', nextPaymentDate: '2099-04-15' })
})

test('a renewal by direct debit is pending until it is paid', async () => {
  const { emulator, id } = await startWithSubscription({ startDate: '2099-03-15' })
  const pending = await emulator.renew(id, { pending: true })
  expect(pending).toMatchObject({ status: 'pending', sequenceType: 'recurring' })
  expect(await emulator.resolvePayment(pending.id)).toMatchObject({
    status: 'paid',
    paidAt: '2099-03-15T04:00:00+00:00',
  })
  const types = emulator.events.map(({ type, entityId }) => [type, entityId]).slice(-2)
  expect(types).toEqual([
    ['payment.pending', pending.id],
    ['payment.paid', pending.id],
  ])
})

test('a subscription is completed after the number of payments in `times`', async () => {
  const { emulator, id, fetched } = await startWithSubscription({ times: 2 })
  await emulator.renew(id)
  expect(await fetched()).toMatchObject({ status: 'active', timesRemaining: 1 })
  await emulator.renew(id)
  const completed = await fetched()
  expect([completed.status, completed.nextPaymentDate]).toEqual(['completed', undefined])
  await expect(emulator.renew(id)).rejects.toThrow(/is completed and makes no payments/)
})

test('an invalid mandate suspends all its subscriptions, and is never charged again', async () => {
  const { emulator, mollie, id, customerId, fetched } = await startWithSubscription()
  const create = (description: string) =>
    mollie.subscriptions.create({ customerId, subscriptionRequest: subscriptionRequest({ description }) })
  const other = await create('another')
  expect(await emulator.suspend(id)).toMatchObject({ status: 'suspended' })
  expect((await fetched()).nextPaymentDate).toBeUndefined()
  const sibling = await mollie.subscriptions.get({ customerId, subscriptionId: other.id })
  expect(sibling.status).toBe('suspended')
  await expect(emulator.renew(id)).rejects.toThrow(/is suspended/)
  await expect(create('a third')).rejects.toThrow(/No suitable mandates/)
  await firstPayment(mollie)
  expect(await mollie.subscriptions.cancel({ customerId, subscriptionId: id })).toMatchObject({ status: 'canceled' })
})

test('the controls can be called with curl', async () => {
  const { emulator, id } = await startWithSubscription()
  const control = (name: string, body: unknown) =>
    fetch(`${emulator.url}/_emulator/${name}`, { method: 'POST', body: JSON.stringify(body) })
  const failed = await control('renew', { subscription: id, fail: true })
  expect(await failed.json()).toMatchObject({ subscriptionId: id, status: 'failed' })
  const renewal = (await (await control('renew', { subscription: id })).json()) as { id: string }
  expect((await control('refund', { payment: renewal.id, amount: '1' })).status).toBe(422)
  expect(await (await control('refund', { payment: renewal.id, amount: '1.00' })).json()).toMatchObject({
    amount: { currency: 'EUR', value: '1.00' },
  })
  expect((await control('slow-mandates', { slow: true })).status).toBe(200)
  expect(emulator.slowMandates).toBe(true)
  expect((await control('renew', { subscription: 'sub_no' })).status).toBe(404)
  expect((await control('renew', { subscripton: id })).status).toBe(400)
  expect(await (await fetch(`${emulator.url}/_emulator/subscriptions`)).json()).toMatchObject([{ id }])
  expect(await (await fetch(emulator.url)).text()).toContain('POST /_emulator/renew')
})

test('charges a subscription on its dates, even after a failed charge, and completes it after `times` charges', async () => {
  const { emulator, mollie } = await startMollie()
  const { customerId, fetched, payments } = await subscribe(mollie, { interval: '1 week', times: 3 })
  const pass = (days: number) => emulator.moveTo('1001', emulator.currentTime('1001') + days * DAY)
  await emulator.declineCharges(customerId)
  await pass(1)
  expect(await payments()).toMatchObject([{ status: 'failed' }])
  await emulator.declineCharges(customerId, false)
  await pass(14)
  expect((await payments()).map(({ status }) => status)).toEqual(['paid', 'paid', 'failed'])
  expect(await fetched()).toMatchObject({ status: 'completed', timesRemaining: 0 })
})

test('a slow refund is completed within three days; a renewal dated in the future stays pending', async () => {
  const { emulator, mollie } = await startMollie()
  const { payment } = await firstPayment(mollie)
  emulator.slowRefunds = true
  const refund = await emulator.refund(payment.id)
  const { subscription } = await subscribe(mollie, { startDate: '2099-01-01' })
  const late = await emulator.renew(subscription.id, { pending: true })
  await emulator.moveTo('1001', emulator.currentTime('1001') + 3 * DAY)
  expect(await mollie.refunds.get({ paymentId: payment.id, refundId: refund.id })).toMatchObject({
    status: 'refunded',
  })
  expect(await mollie.payments.get({ paymentId: late.id })).toMatchObject({ status: 'pending' })
})
