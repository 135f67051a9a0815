import { ClientError, ErrorResponse } from 'mollie-api-typescript/models/errors'
import type { UpdateSubscriptionRequestBody } from 'mollie-api-typescript/models/operations'
import { describe, expect, test } from 'vitest'
import { ACME, firstPayment, order, press, sdk, startMollie, subscribe, subscriptionRequest } from './fixture.ts'

/** Invalid bodies, each with the field that Mollie reports. */
const WRONG_PAYMENTS: [field: string, body: object][] = [
  ['amount.value', order({ amount: { currency: 'EUR', value: '9.9' } })],
  ['amount.value', order({ amount: { currency: 'JPY', value: '1000.00' } })],
  ['amount.value', order({ amount: { currency: 'HUF', value: '3990' } })],
  ['amount', order({ amount: { currency: 'EUR', value: '0.00' } })],
  ['amount.value', { ...order(), amount: { currency: 'EUR', value: 9.99 } }],
  ['amount.currency', order({ amount: { currency: 'euro', value: '9.99' } })],
  ['amount.currency', order({ amount: { currency: 'INR', value: '399.00' } })],
  ['description', order({ description: 'x'.repeat(256) })],
  ['redirectUrl', order({ redirectUrl: null })],
  ['cancelUrl', order({ cancelUrl: 'javascript:alert(1)' })],
  ['customerId', order({ sequenceType: 'first' })],
  ['customerId', order({ customerId: 'cst_nobody' })],
  ['metadata', order({ metadata: 'x'.repeat(1023) })],
  ['redirectURL', { ...order({ redirectUrl: null }), redirectURL: 'https://shop.example' }],
]

const WRONG_SUBSCRIPTIONS: [field: string, body: object][] = [
  ['interval', subscriptionRequest({ interval: 'monthly' })],
  ['interval', subscriptionRequest({ interval: '13 months' })],
  ['interval', subscriptionRequest({ interval: '0 days' })],
  ['startDate', subscriptionRequest({ startDate: '2020-01-01' })],
  ['startDate', subscriptionRequest({ startDate: '2099-02-30' })],
  ['amount', subscriptionRequest({ amount: { currency: 'EUR', value: '0.00' } })],
  ['descripton', { ...subscriptionRequest(), descripton: 'x' }],
]

const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const headers = (more: Record<string, string> = {}) => ({ Authorization: `Bearer ${ACME.apiKey}`, ...more })

const post = (address: string, body: object | string) =>
  fetch(address, { method: 'POST', headers: headers(), body: typeof body === 'string' ? body : JSON.stringify(body) })

describe('payments', () => {
  test('creates a mandate for a first payment that is paid', async () => {
    const { mollie } = await startMollie()
    const { customerId, payment } = await firstPayment(mollie, { metadata: { checkout_id: 'c1' }, locale: 'nl_NL' })
    expect(payment).toMatchObject({
      status: 'paid',
      mode: 'test',
      sequenceType: 'first',
      customerId,
      mandateId: expect.stringMatching(/^mdt_/),
      metadata: { checkout_id: 'c1' },
      amountRemaining: { currency: 'EUR', value: '9.99' },
      paidAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
    })
    expect(payment.links.checkout).toBeUndefined()
    const { result } = await mollie.mandates.list({ customerId })
    expect(result.embedded.mandates).toMatchObject([{ id: payment.mandateId, status: 'valid', method: 'creditcard' }])
    expect(await mollie.customers.get({ customerId })).toMatchObject({ id: customerId, email: 'ada@example.com' })
  })

  test('can be cancelled once if it is a bank transfer, and otherwise not', async () => {
    const { mollie } = await startMollie()
    const open = await mollie.payments.create({ paymentRequest: order({ amount: { currency: 'JPY', value: '1000' } }) })
    expect(open).toMatchObject({ status: 'open', isCancelable: false, sequenceType: 'oneoff', method: null })
    expect(Date.parse(open.expiresAt ?? '') - Date.parse(open.createdAt)).toBe(15 * 60_000)
    await expect(mollie.payments.cancel({ paymentId: open.id })).rejects.toMatchObject({ statusCode: 422 })
    const transfer = await mollie.payments.create({ paymentRequest: order({ method: 'banktransfer' }) })
    const cancel = () => mollie.payments.cancel({ paymentId: transfer.id })
    expect(await cancel()).toMatchObject({ status: 'canceled', canceledAt: expect.any(String) })
    await expect(cancel()).rejects.toMatchObject({ statusCode: 422 })
  })

  test('can be updated with other metadata', async () => {
    const { mollie } = await startMollie()
    const { id: paymentId } = await mollie.payments.create({ paymentRequest: order({ metadata: { a: 1 } }) })
    const requestBody = { metadata: { b: '2' } }
    expect(await mollie.payments.update({ paymentId, requestBody })).toMatchObject({ id: paymentId, ...requestBody })
    expect(await mollie.payments.get({ paymentId })).toMatchObject(requestBody)
  })

  test('can be of zero, to create a mandate for later charges', async () => {
    const { mollie } = await startMollie()
    const { payment } = await firstPayment(mollie, { amount: { currency: 'EUR', value: '0.00' } })
    expect(payment).toMatchObject({ status: 'paid', mandateId: expect.any(String) })
  })

  test.each(WRONG_PAYMENTS)('is refused for its %s', async (field, body) => {
    const { emulator } = await startMollie()
    const answer = await post(`${emulator.url}/v2/payments`, body)
    expect(answer.status).toBe(422)
    expect(answer.headers.get('content-type')).toBe('application/hal+json')
    expect(await answer.json()).toMatchObject({ status: 422, title: 'Unprocessable Entity', field })
    expect(emulator.payments).toEqual([])
  })

  test('can be charged on a mandate, by card at once and by direct debit within days', async () => {
    const { emulator, mollie } = await startMollie()
    const { customerId, payment } = await firstPayment(mollie)
    const charge = (more = {}) =>
      mollie.payments.create({
        paymentRequest: order({ sequenceType: 'recurring', customerId, redirectUrl: null, cancelUrl: null, ...more }),
      })
    expect(await charge()).toMatchObject({ status: 'paid', mandateId: payment.mandateId, method: 'creditcard' })
    await emulator.declineCharges(customerId)
    expect(await charge({ mandateId: payment.mandateId })).toMatchObject({ status: 'failed' })
    await emulator.declineCharges(customerId, false)
    const debit = await firstPayment(mollie, { method: 'ideal' })
    expect(await charge({ customerId: debit.customerId })).toMatchObject({ status: 'pending', method: 'directdebit' })
    await expect(charge({ mandateId: 'mdt_none' })).rejects.toThrow(/No suitable mandates/)
    const { result } = await mollie.customers.listPayments({ customerId })
    expect(result.embedded.payments?.map(({ sequenceType }) => sequenceType)).toEqual([
      'recurring',
      'recurring',
      'first',
    ])
  })

  test('is refunded in parts, up to the remaining amount', async () => {
    const { emulator, mollie } = await startMollie()
    const { payment } = await firstPayment(mollie)
    const paymentId = payment.id
    const createRefund = (value: string) =>
      mollie.refunds.create({ paymentId, refundRequest: { amount: { currency: 'EUR', value } } })
    const part = await createRefund('4.00')
    expect(part).toMatchObject({ status: 'refunded', amount: { value: '4.00' }, paymentId })
    await expect(createRefund('6.00')).rejects.toMatchObject({ statusCode: 422, field: 'amount' })
    const rest = await emulator.refund(paymentId)
    expect(rest).toMatchObject({ amount: { currency: 'EUR', value: '5.99' } })
    const { result } = await mollie.refunds.list({ paymentId })
    expect(result.embedded.refunds.map(({ id }) => id)).toEqual([rest.id, part.id])
    expect(await mollie.payments.get({ paymentId })).toMatchObject({
      status: 'paid',
      amountRefunded: { value: '9.99' },
      amountRemaining: { value: '0.00' },
    })
  })

  test('is charged back once', async () => {
    const { emulator, mollie } = await startMollie()
    const { payment } = await firstPayment(mollie)
    const { id } = await emulator.chargeback(payment.id)
    await expect(emulator.chargeback(payment.id)).rejects.toThrow(/already charged back/)
    const { result } = await mollie.chargebacks.list({ paymentId: payment.id })
    expect(result.embedded.chargebacks).toMatchObject([{ id, amount: { value: '9.99' } }])
    expect(await mollie.payments.get({ paymentId: payment.id })).toMatchObject({ amountChargedBack: { value: '9.99' } })
  })
})

describe('subscriptions', () => {
  test('begins on its start date and has its next charge date', async () => {
    const { mollie } = await startMollie()
    const { customerId, payment, subscription, fetched, payments } = await subscribe(mollie, {
      startDate: '2099-01-31',
      times: 2,
    })
    expect(subscription).toMatchObject({
      status: 'active',
      startDate: '2099-01-31',
      nextPaymentDate: '2099-01-31',
      customerId,
      mandateId: payment.mandateId,
      metadata: { purchase_id: '1' },
      timesRemaining: 2,
    })
    expect(subscription.canceledAt).toBeUndefined()
    expect(await fetched()).toEqual(subscription)
    expect(await payments()).toEqual([])
    const { result } = await mollie.subscriptions.list({ customerId })
    expect(result.embedded.subscriptions).toMatchObject([{ id: subscription.id }])
  })

  test('ends at once, and only once', async () => {
    const { mollie } = await startMollie()
    const { customerId, subscription, fetched } = await subscribe(mollie)
    const cancel = () => mollie.subscriptions.cancel({ customerId, subscriptionId: subscription.id })
    expect(await cancel()).toMatchObject({ status: 'canceled', canceledAt: expect.any(String) })
    expect((await fetched()).nextPaymentDate).toBeUndefined()
    await expect(cancel()).rejects.toMatchObject({ statusCode: 422 })
  })

  test('is changed from the next charge on, as long as it is active', async () => {
    const { emulator, mollie } = await startMollie()
    const { customerId, subscription, payments } = await subscribe(mollie)
    const terms = { amount: { currency: 'EUR', value: '89.00' }, interval: '12 months' }
    const update = () =>
      mollie.subscriptions.update({ customerId, subscriptionId: subscription.id, requestBody: terms })
    expect(await update()).toMatchObject({ ...terms, nextPaymentDate: subscription.nextPaymentDate })
    await emulator.renew(subscription.id)
    expect(await payments()).toMatchObject([{ amount: terms.amount }])
    await emulator.cancel(subscription.id)
    await expect(update()).rejects.toMatchObject({ statusCode: 422 })
  })

  test('counts a new interval from its last charge, and has another start date only until its first one', async () => {
    const { emulator, mollie } = await startMollie()
    const { customerId, subscription } = await subscribe(mollie, { startDate: dayAfter(30) })
    const update = (requestBody: UpdateSubscriptionRequestBody) =>
      mollie.subscriptions.update({ customerId, subscriptionId: subscription.id, requestBody })
    const startDate = dayAfter(40)
    expect(await update({ startDate })).toMatchObject({ startDate, nextPaymentDate: startDate })
    await expect(update({ startDate: dayAfter(0) })).rejects.toThrow(/start date is in the past/)
    await emulator.renew(subscription.id)
    const { nextPaymentDate } = await update({ interval: '12 months' })
    expect(nextPaymentDate).toContain(`${Number(startDate.slice(0, 4)) + 1}${startDate.slice(4, 8)}`)
    await expect(update({ startDate: dayAfter(90) })).rejects.toThrow(/already charged/)
  })

  test('gets other metadata and another mandate of its customer', async () => {
    const { mollie } = await startMollie()
    const { customerId, subscription } = await subscribe(mollie)
    const opened = await mollie.payments.create({ paymentRequest: order({ sequenceType: 'first', customerId }) })
    await press(opened, 'pay')
    const { mandateId } = await mollie.payments.get({ paymentId: opened.id })
    const update = (requestBody: UpdateSubscriptionRequestBody) =>
      mollie.subscriptions.update({ customerId, subscriptionId: subscription.id, requestBody })
    const metadata = { purchase_id: '2' }
    expect(await update({ metadata, mandateId: mandateId ?? '' })).toMatchObject({ metadata, mandateId })
    await expect(update({ mandateId: 'mdt_none' })).rejects.toMatchObject({ statusCode: 422 })
  })

  test("must have a description that is unique among the customer's active subscriptions", async () => {
    const { mollie } = await startMollie()
    const { customerId, subscription } = await subscribe(mollie)
    const create = () => mollie.subscriptions.create({ customerId, subscriptionRequest: subscriptionRequest() })
    await expect(create()).rejects.toThrow(/same description already exists/)
    await mollie.subscriptions.cancel({ customerId, subscriptionId: subscription.id })
    expect(await create()).toMatchObject({ status: 'active' })
  })

  test('needs a valid mandate', async () => {
    const { emulator, mollie } = await startMollie()
    const { id: bare } = await mollie.customers.create({ entityCustomer: {} })
    const create = (customerId: string) =>
      mollie.subscriptions.create({ customerId, subscriptionRequest: subscriptionRequest() })
    await expect(create(bare)).rejects.toThrow(/No suitable mandates/)

    emulator.slowMandates = true
    const { customerId } = await firstPayment(mollie)
    const { result } = await mollie.mandates.list({ customerId })
    expect(result.embedded.mandates).toMatchObject([{ status: 'pending' }])
    await expect(create(customerId)).rejects.toThrow(/No suitable mandates/)
    emulator.slowMandates = false
    expect(await create(customerId)).toMatchObject({ status: 'active' })
  })

  test.each(WRONG_SUBSCRIPTIONS)('is refused for its %s', async (field, body) => {
    const { emulator, mollie } = await startMollie()
    const { customerId } = await firstPayment(mollie)
    const answer = await post(`${emulator.url}/v2/customers/${customerId}/subscriptions`, body)
    expect([answer.status, await answer.json()]).toMatchObject([422, { field }])
    expect(emulator.subscriptions).toEqual([])
  })

  test('is listed in pages', async () => {
    const { mollie } = await startMollie()
    const { customerId } = await firstPayment(mollie)
    for (const description of ['a', 'b', 'c']) {
      await mollie.subscriptions.create({ customerId, subscriptionRequest: subscriptionRequest({ description }) })
    }
    const first = (await mollie.subscriptions.list({ customerId, limit: 2 })).result
    expect(first.embedded.subscriptions?.map(({ description }) => description)).toEqual(['c', 'b'])
    const from = new URL(first.links.next?.href ?? '').searchParams.get('from') ?? ''
    const last = (await mollie.subscriptions.list({ customerId, limit: 2, from })).result
    expect(last).toMatchObject({ count: 1, embedded: { subscriptions: [{ description: 'a' }] }, links: { next: null } })
  })
})

describe('accounts', () => {
  test('refuses a missing and an unknown key as Mollie does', async () => {
    const { emulator } = await startMollie()
    const wrong = sdk(emulator, 'test_somebody_else').payments.get({ paymentId: 'tr_1' })
    await expect(wrong).rejects.toBeInstanceOf(ClientError)
    await expect(wrong).rejects.toMatchObject({ statusCode: 401 })
    const answer = await fetch(`${emulator.url}/v2/payments/tr_1`)
    expect([answer.status, await answer.json()]).toMatchObject([401, { title: 'Unauthorized Request' }])
  })

  test("does not show one account another's objects", async () => {
    const other = { ...ACME, paywallId: '2002', apiKey: 'live_other_0123456789' }
    const { emulator, mollie } = await startMollie({ accounts: [ACME, other] })
    const { customerId, payment, subscription } = await subscribe(mollie)
    const foreign = sdk(emulator, other.apiKey)
    for (const call of [
      foreign.payments.get({ paymentId: payment.id }),
      foreign.customers.get({ customerId }),
      foreign.subscriptions.get({ customerId, subscriptionId: subscription.id }),
      foreign.subscriptions.list({ customerId }),
    ]) {
      await expect(call).rejects.toBeInstanceOf(ErrorResponse)
      await expect(call).rejects.toMatchObject({ status: 404, title: 'Not Found' })
    }
    expect((await firstPayment(foreign)).payment.mode).toBe('live')
  })

  test('does not show one customer the subscription of another', async () => {
    const { mollie } = await startMollie()
    const { subscription } = await subscribe(mollie)
    const { customerId } = await firstPayment(mollie)
    const call = mollie.subscriptions.get({ customerId, subscriptionId: subscription.id })
    await expect(call).rejects.toMatchObject({ status: 404 })
  })

  test('refuses an unknown path, an invalid query and a body that is not JSON', async () => {
    const { emulator } = await startMollie()
    const get = async (path: string) => (await fetch(`${emulator.url}${path}`, { headers: headers() })).status
    expect(await get('/v2/methods')).toBe(404)
    expect(await get('/v2/customers/cst_1/subscriptions?limit=251')).toBe(400)
    expect((await post(`${emulator.url}/v2/payments`, 'no json')).status).toBe(400)
  })
})
