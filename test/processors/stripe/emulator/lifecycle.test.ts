import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { nextPeriodEnd } from '../../../../dev/emulators/core/periods.ts'
import type { StripeEmulator } from '../../../../dev/emulators/stripe/emulator.ts'
import { buy, getId, paymentOrder, startStripe, subscriptionOrder } from './fixture.ts'

async function startWithSubscription(order: Stripe.Checkout.SessionCreateParams = {}) {
  const { emulator, stripe } = await startStripe()
  const id = getId((await buy(stripe, subscriptionOrder(order))).subscription)
  const subscription = () => stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  return { emulator, stripe, id, subscription, period: async () => getPeriod(await subscription()) }
}

const getPeriod = (subscription: Stripe.Subscription) => {
  const item = subscription.items.data[0]
  return [item?.current_period_start ?? 0, item?.current_period_end ?? 0] as const
}

const typesSince = (emulator: StripeEmulator, count: number) => emulator.events.slice(count).map(({ type }) => type)

test('a renewal starts the next period where the last one ended, and is paid', async () => {
  const { emulator, id, subscription, period } = await startWithSubscription()
  const [, end] = await period()
  const before = emulator.events.length
  await emulator.renew(id)
  expect((await period())[0]).toBe(end)
  expect((await period())[1]).toBeGreaterThan(end)
  expect(await subscription()).toMatchObject({
    status: 'active',
    latest_invoice: { billing_reason: 'subscription_cycle', amount_paid: 999, status: 'paid' },
  })
  const types = ['customer.subscription.updated', 'charge.succeeded', 'payment_intent.succeeded', 'invoice.paid']
  expect(typesSince(emulator, before)).toEqual(types)
})

test('a period that has rolled over is active with a draft invoice, which the renewal collects', async () => {
  const { emulator, id, subscription, period } = await startWithSubscription({
    subscription_data: { trial_period_days: 7 },
  })
  const [, end] = await period()
  const before = emulator.events.length
  await emulator.rollOver(id)
  const rolled = await subscription()
  expect(rolled).toMatchObject({
    status: 'active',
    latest_invoice: { status: 'draft', number: null, attempted: false },
  })
  expect(getPeriod(rolled)[0]).toBe(end)
  expect(emulator.events.slice(before)).toMatchObject([
    { type: 'customer.subscription.updated', data: { previous_attributes: { status: 'trialing' } } },
  ])
  await emulator.renew(id)
  expect(typesSince(emulator, before + 1)).toEqual(['charge.succeeded', 'payment_intent.succeeded', 'invoice.paid'])
  expect(await subscription()).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } })
  expect(await period()).toEqual(getPeriod(rolled))
})

test('a trial becomes the first paid period', async () => {
  const { emulator, id, subscription } = await startWithSubscription({ subscription_data: { trial_period_days: 7 } })
  const trial = await subscription()
  await emulator.trialWillEnd(id)
  expect(emulator.events.at(-1)?.type).toBe('customer.subscription.trial_will_end')
  await emulator.renew(id)
  const active = await subscription()
  expect(active).toMatchObject({ status: 'active', latest_invoice: { amount_paid: 999 } })
  expect(getPeriod(active)[0]).toBe(trial.trial_end)
  await expect(emulator.trialWillEnd(id)).rejects.toThrow(/not in a trial/)
})

test('a failed renewal is past due until its invoice is paid', async () => {
  const { emulator, id, subscription, period } = await startWithSubscription()
  const before = emulator.events.length
  await emulator.renew(id, { fail: true })
  const failed = await subscription()
  expect(failed).toMatchObject({
    status: 'past_due',
    latest_invoice: { status: 'open', amount_due: 999, amount_paid: 0 },
  })
  const types = [
    'customer.subscription.updated',
    'charge.failed',
    'payment_intent.payment_failed',
    'invoice.payment_failed',
    'customer.subscription.updated',
  ]
  expect(typesSince(emulator, before)).toEqual(types)

  await emulator.renew(id)
  const recovered = await subscription()
  expect(recovered).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', attempt_count: 2 } })
  expect(getId(recovered.latest_invoice)).toBe(getId(failed.latest_invoice))
  expect(await period()).toEqual(getPeriod(failed))
})

test('a session completed without payment creates an incomplete subscription, which becomes active or expires', async () => {
  const { emulator, stripe } = await startStripe()
  async function startUnpaid() {
    const { id } = await stripe.checkout.sessions.create(subscriptionOrder())
    await emulator.payLater(id)
    const session = () =>
      stripe.checkout.sessions.retrieve(id, { expand: ['subscription', 'subscription.latest_invoice'] })
    const first = await session()
    expect(first).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
      subscription: { status: 'incomplete', latest_invoice: { status: 'open' } },
    })
    return { session, subscription: getId(first.subscription) }
  }
  const paid = await startUnpaid()
  await emulator.renew(paid.subscription, { fail: true })
  expect(await paid.session()).toMatchObject({ subscription: { status: 'incomplete' } })
  await emulator.renew(paid.subscription)
  expect(await paid.session()).toMatchObject({ payment_status: 'paid', subscription: { status: 'active' } })

  const expired = await startUnpaid()
  const before = emulator.events.length
  await emulator.end(expired.subscription)
  expect(typesSince(emulator, before)).toEqual([
    'checkout.session.async_payment_failed',
    'customer.subscription.updated',
  ])
  expect(await expired.session()).toMatchObject({
    payment_status: 'unpaid',
    subscription: { status: 'incomplete_expired', latest_invoice: { status: 'void' } },
  })
  await expect(emulator.renew(expired.subscription)).rejects.toThrow(/has ended/)
})

test('a scheduled cancellation takes effect at the end of the period', async () => {
  const { emulator, stripe, id, subscription, period } = await startWithSubscription()
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await emulator.renew(id)
  expect(await subscription()).toMatchObject({ status: 'canceled', ended_at: (await period())[1] })
  expect(emulator.events.at(-1)?.type).toBe('customer.subscription.deleted')
  await expect(emulator.renew(id)).rejects.toThrow(/has ended/)
})

test('a cancellation in the portal sets only cancel_at', async () => {
  const { emulator, id, subscription, period } = await startWithSubscription()
  await emulator.portalCancel(id)
  const expected = { status: 'active', cancel_at_period_end: false, cancel_at: (await period())[1] }
  expect(await subscription()).toMatchObject(expected)
  await emulator.renew(id)
  expect(await subscription()).toMatchObject({ status: 'canceled' })
})

test('ends a subscription at once', async () => {
  const { emulator, id, subscription } = await startWithSubscription()
  await emulator.end(id)
  expect(await subscription()).toMatchObject({ status: 'canceled', canceled_at: expect.any(Number) })
})

test('refunds and disputes a payment', async () => {
  const { emulator, stripe } = await startStripe()
  const id = getId((await buy(stripe, paymentOrder())).payment_intent)
  await emulator.refund(id, 1000)
  const [created, refunded] = emulator.events.slice(-2)
  expect([created?.type, refunded?.type]).toEqual(['refund.created', 'charge.refunded'])
  expect(refunded?.data).toMatchObject({
    object: { amount_refunded: 1000, refunded: false, payment_intent: id },
    previous_attributes: { amount_refunded: 0 },
  })
  await emulator.dispute(id)
  expect(emulator.events.at(-2)).toMatchObject({
    type: 'charge.dispute.created',
    data: { object: { payment_intent: id } },
  })
})

test('the controls can be called with curl', async () => {
  const { emulator, id } = await startWithSubscription()
  const control = (name: string, body: unknown) =>
    fetch(`${emulator.url}/_emulator/${name}`, { method: 'POST', body: JSON.stringify(body) })
  const failed = await control('renew', { subscription: id, fail: true })
  expect(await failed.json()).toMatchObject({ id, status: 'past_due' })
  expect((await control('renew', { subscription: 'sub_no' })).status).toBe(404)
  expect((await control('renew', { subscripton: id })).status).toBe(400)
  expect((await control('renew-all', {})).status).toBe(404)
  const listed = await fetch(`${emulator.url}/_emulator/subscriptions`)
  expect(await listed.json()).toMatchObject([{ id }])
})

test('monthly periods keep their day through a short month', () => {
  const price = { id: 'p', label: '', currency: 'usd', amount: 1, interval: 'month', intervalCount: 1 } as const
  const seconds = (iso: string) => Date.parse(iso) / 1000
  const january = seconds('2027-01-31T09:30:00Z')
  const february = nextPeriodEnd(january, price, january)
  expect(february).toBe(seconds('2027-02-28T09:30:00Z'))
  expect(nextPeriodEnd(february, price, january)).toBe(seconds('2027-03-31T09:30:00Z'))
  const leapDay = seconds('2028-02-29T00:00:00Z')
  expect(nextPeriodEnd(leapDay, { ...price, interval: 'year' }, leapDay)).toBe(seconds('2029-02-28T00:00:00Z'))
})
