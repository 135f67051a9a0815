import { describe, expect, test } from 'vitest'
import * as chargebee from '../processors/chargebee/emulator/fixture.ts'
import * as freemius from '../processors/freemius/emulator/fixture.ts'
import * as mollie from '../processors/mollie/emulator/fixture.ts'
import * as polar from '../processors/polar/emulator/fixture.ts'
import * as stripe from '../processors/stripe/emulator/fixture.ts'

const DAY = 24 * 3600

describe('a dispute', () => {
  test('at Stripe can start as a warning, which withdraws no money, and be escalated and lost, or closed', async () => {
    const { emulator, stripe: sdk } = await stripe.startStripe({ serviceUrl: (await stripe.startReceiver()).url })
    const session = await stripe.buy(sdk, stripe.paymentOrder())
    const types = () => emulator.events.map(({ type }) => type).filter((type) => type.startsWith('charge.dispute'))
    const payment = stripe.getId(session.payment_intent)
    const warning = await emulator.dispute(payment, { warning: true })
    expect(warning).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true })
    expect(await emulator.escalateDispute(warning.id)).toMatchObject({ status: 'needs_response' })
    await expect(sdk.refunds.create({ payment_intent: payment })).rejects.toMatchObject({ code: 'charge_disputed' })
    expect(await emulator.closeDispute(warning.id)).toMatchObject({ status: 'lost' })
    const { latest_charge: charge } = await sdk.paymentIntents.retrieve(payment, { expand: ['latest_charge'] })
    expect(charge).toMatchObject({ disputed: true, refunded: false })
    expect(types()).toEqual([
      'charge.dispute.created',
      'charge.dispute.updated',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed',
    ])
    const other = await stripe.buy(sdk, stripe.paymentOrder())
    const inquiry = await emulator.dispute(stripe.getId(other.payment_intent), { warning: true })
    expect(await emulator.closeDispute(inquiry.id)).toMatchObject({ status: 'warning_closed' })
    expect(await sdk.refunds.create({ payment_intent: stripe.getId(other.payment_intent) })).toMatchObject({
      status: 'succeeded',
    })
  })

  test('at Polar can be listed by order, and revokes the subscription when it is lost', async () => {
    const { emulator, polar: sdk } = await polar.startPolar()
    const { order, id } = await polar.buy(sdk)
    const dispute = await emulator.dispute(order.id)
    const listed = async () => (await sdk.disputes.list({ order_id: order.id })).items
    expect(await listed()).toMatchObject([{ id: dispute.id, status: 'needs_response', resolved: false }])
    expect(await sdk.subscriptions.get(id)).toMatchObject({ status: 'active' })
    await emulator.closeDispute(dispute.id)
    expect(await listed()).toMatchObject([
      { status: 'lost', resolved: true, closed: true, customer: { id: order.customer_id } },
    ])
    expect(await sdk.disputes.get(dispute.id)).toMatchObject({ status: 'lost' })
    expect(await sdk.subscriptions.get(id)).toMatchObject({ status: 'canceled' })
  })
})

test("a Mollie payment can be charged back with a bank's reason code", async () => {
  const { emulator, mollie: sdk } = await mollie.startMollie()
  const { payment } = await mollie.firstPayment(sdk)
  const chargeback = await emulator.chargeback(payment.id, { code: 'AC01' })
  expect(chargeback).toMatchObject({ reason: { code: 'AC01', description: expect.stringContaining('IBAN') } })
  expect(await sdk.payments.get({ paymentId: payment.id })).toMatchObject({
    status: 'paid',
    amountChargedBack: payment.amount,
  })
})

test('a declined direct debit at Mollie is charged back days after it was paid, or fails at once if letDebitsBounce is off', async () => {
  const { emulator, mollie: sdk } = await mollie.startMollie()
  const { payment, customerId } = await mollie.firstPayment(sdk, { method: 'ideal' })
  expect(payment).toMatchObject({ status: 'paid' })
  const request = mollie.subscriptionRequest({})
  const { id: subscriptionId } = await sdk.subscriptions.create({ customerId, subscriptionRequest: request })
  const payments = async () =>
    (await sdk.subscriptions.listPayments({ customerId, subscriptionId })).result.embedded.payments ?? []
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

describe('a refund that has succeeded', () => {
  test('fails days later at Stripe', async () => {
    const { emulator, stripe: sdk } = await stripe.startStripe()
    const session = await stripe.buy(sdk, stripe.paymentOrder())
    const refund = await sdk.refunds.create({ payment_intent: stripe.getId(session.payment_intent) })
    expect(refund).toMatchObject({ status: 'succeeded' })
    await emulator.resolveRefund(refund.id, { fail: true })
    expect(await sdk.refunds.retrieve(refund.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'lost_or_stolen_card',
    })
    expect(emulator.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['refund.updated', 'refund.failed']))
    const { latest_charge: charge } = await sdk.paymentIntents.retrieve(stripe.getId(session.payment_intent), {
      expand: ['latest_charge'],
    })
    expect(charge).toMatchObject({ refunded: false, amount_refunded: 0 })
  })

  test('fails days later at Mollie and Chargebee', async () => {
    const { emulator, mollie: sdk } = await mollie.startMollie()
    const { payment } = await mollie.firstPayment(sdk)
    const refund = await emulator.refund(payment.id)
    expect(await emulator.failRefund(refund.id)).toMatchObject({ status: 'failed' })
    expect(emulator.events.map(({ type }) => type).slice(-2)).toEqual(['refund.refunded', 'refund.failed'])

    const site = await chargebee.startChargebee()
    const { invoice } = await chargebee.subscribe(site.chargebee)
    const chargebeeRefund = await site.chargebee.invoice.refund(invoice?.id ?? '')
    expect(await site.emulator.resolveRefund(chargebeeRefund.transaction.id ?? '', { fail: true })).toMatchObject({
      status: 'failure',
    })
  })
})

test('at Freemius a refund is reported by two events, the second with the original payment', async () => {
  const { emulator, freemius: sdk } = await freemius.startFreemius()
  const { info, user } = await freemius.buy(sdk, emulator)
  const [paid] = await sdk.api.user.retrievePayments(user)
  const before = emulator.events.length
  const refund = await emulator.refund(String(paid?.id), 300)
  const [created, refunded] = emulator.events.slice(before)
  expect(created).toMatchObject({
    type: 'payment.created',
    objects: { payment: { id: refund.id, type: 'refund', gross: -3, bound_payment_id: null } },
  })
  expect(refunded).toMatchObject({
    type: 'payment.refund',
    objects: { payment: { id: paid?.id, type: 'payment', gross: 9.99, bound_payment_id: refund.id } },
  })
  expect([created, refunded].map((event) => Object.hasOwn(event?.objects ?? {}, 'license'))).toEqual([false, false])
  expect(info.license_id).toBeTruthy()
})
