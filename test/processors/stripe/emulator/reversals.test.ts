import Stripe from 'stripe'
import { expect, test } from 'vitest'
import type { StripeEmulator } from '../../../../dev/emulators/stripe/emulator.ts'
import { buy, getId, paymentOrder, startReceiver, startStripe, subscriptionOrder } from './fixture.ts'

async function startWithPayment() {
  const { emulator, stripe } = await startStripe()
  const payment = getId((await buy(stripe, paymentOrder())).payment_intent)
  const charge = async () => {
    const { latest_charge: latest } = await stripe.paymentIntents.retrieve(payment, { expand: ['latest_charge'] })
    return latest
  }
  return { emulator, stripe, payment, charge, newTypes: getNewEvents(emulator) }
}

/** The types of the events since the last call. */
function getNewEvents(emulator: StripeEmulator) {
  let count = emulator.events.length
  return () => {
    const types = emulator.events.slice(count).map(({ type }) => type)
    count += types.length
    return types
  }
}

test('a slow refund is pending until the bank has credited it', async () => {
  const { emulator, stripe, payment, charge, newTypes } = await startWithPayment()
  emulator.slowRefunds = true
  const refund = await stripe.refunds.create({ payment_intent: payment, amount: 900 })
  expect(refund.status).toBe('pending')
  expect(await charge()).toMatchObject({ amount_refunded: 900 })
  expect(newTypes()).toEqual(['refund.created', 'charge.refunded'])
  await emulator.resolveRefund(refund.id)
  expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ status: 'succeeded' })
  expect(newTypes()).toEqual(['refund.updated'])
})

test('a refund can fail after it has succeeded, and the payment is refundable again', async () => {
  const { emulator, stripe, payment, charge, newTypes } = await startWithPayment()
  const refund = await stripe.refunds.create({ payment_intent: payment })
  expect(refund.status).toBe('succeeded')
  newTypes()
  await emulator.resolveRefund(refund.id, { fail: true })
  const failed = { status: 'failed', failure_reason: 'lost_or_stolen_card' }
  expect(await stripe.refunds.retrieve(refund.id)).toMatchObject(failed)
  expect(newTypes()).toEqual(['refund.updated', 'refund.failed'])
  expect(await charge()).toMatchObject({ amount_refunded: 0, refunded: false })
  expect(await stripe.refunds.create({ payment_intent: payment })).toMatchObject({ amount: 4900 })
})

test.each([
  [true, 'won'],
  [false, 'lost'],
])('a dispute is closed: won %s', async (won, status) => {
  const { emulator, payment, newTypes } = await startWithPayment()
  const { id } = await emulator.dispute(payment)
  await expect(emulator.dispute(payment)).rejects.toThrow(/already disputed/)
  expect(await emulator.closeDispute(id, { won })).toMatchObject({ object: 'dispute', status, payment_intent: payment })
  expect(newTypes()).toEqual([
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    ...(won ? ['charge.dispute.funds_reinstated'] : []),
  ])
  await expect(emulator.closeDispute(id)).rejects.toThrow(new RegExp(`is ${status}`))
})

test('a disputed payment cannot be refunded unless the seller wins the dispute', async () => {
  const { emulator, stripe, payment } = await startWithPayment()
  const { id } = await emulator.dispute(payment)
  await expect(stripe.refunds.create({ payment_intent: payment })).rejects.toMatchObject({ code: 'charge_disputed' })
  await emulator.closeDispute(id, { won: true })
  expect(await stripe.refunds.create({ payment_intent: payment })).toMatchObject({ amount: 4900 })
})

test('a dispute can start as a warning, which withdraws no money, and be escalated and lost, or closed', async () => {
  const { emulator, stripe } = await startStripe({ serviceUrl: (await startReceiver()).url })
  const session = await buy(stripe, paymentOrder())
  const types = () => emulator.events.map(({ type }) => type).filter((type) => type.startsWith('charge.dispute'))
  const payment = getId(session.payment_intent)
  const warning = await emulator.dispute(payment, { warning: true })
  expect(warning).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true })
  expect(await emulator.escalateDispute(warning.id)).toMatchObject({ status: 'needs_response' })
  await expect(stripe.refunds.create({ payment_intent: payment })).rejects.toMatchObject({ code: 'charge_disputed' })
  expect(await emulator.closeDispute(warning.id)).toMatchObject({ status: 'lost' })
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(payment, { expand: ['latest_charge'] })
  expect(charge).toMatchObject({ disputed: true, refunded: false })
  expect(types()).toEqual([
    'charge.dispute.created',
    'charge.dispute.updated',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
  ])
  const other = await buy(stripe, paymentOrder())
  const inquiry = await emulator.dispute(getId(other.payment_intent), { warning: true })
  expect(await emulator.closeDispute(inquiry.id)).toMatchObject({ status: 'warning_closed' })
  expect(await stripe.refunds.create({ payment_intent: getId(other.payment_intent) })).toMatchObject({
    status: 'succeeded',
  })
})

test('a subscription is paused and resumed', async () => {
  const { emulator, stripe } = await startStripe()
  const id = getId((await buy(stripe, subscriptionOrder())).subscription)
  const newTypes = getNewEvents(emulator)
  await emulator.pause(id)
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'paused' })
  await expect(emulator.pause(id)).rejects.toThrow(/is not active/)
  await emulator.resume(id)
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
  const changed = 'customer.subscription.updated'
  expect(newTypes()).toEqual([changed, 'customer.subscription.paused', changed, 'customer.subscription.resumed'])
})

test('opens no portal for an account whose portal settings were never saved', async () => {
  const { emulator, stripe } = await startStripe()
  const customer = getId((await buy(stripe, subscriptionOrder())).customer)
  const open = () => stripe.billingPortal.sessions.create({ customer })
  await emulator.enablePortal('1001', false)
  await expect(open()).rejects.toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
  await expect(open()).rejects.toThrow(/^No configuration provided and your test mode default configuration/)
  await emulator.enablePortal('1001', true)
  expect(await open()).toMatchObject({ object: 'billing_portal.session', customer })
})
