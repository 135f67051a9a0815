import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { buy, getId, paymentOrder, press, startStripe, subscriptionOrder } from './fixture.ts'

/** A one-time payment by bank debit, whose session is complete and whose payment is processing. */
async function startWithDebit() {
  const { emulator, stripe } = await startStripe()
  const { id, url } = await stripe.checkout.sessions.create(paymentOrder())
  const answer = await press({ url }, 'later')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `https://shop.example/thanks?session=${id}`])
  const session = () => stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] })
  const payment = getId((await session()).payment_intent)
  let count = 0
  const newTypes = () => {
    const types = emulator.events.slice(count).map(({ type }) => type)
    count += types.length
    return types
  }
  return { emulator, url, session, payment, newTypes }
}

test('a debit is processing until the bank pays it', async () => {
  const { emulator, session, payment, newTypes } = await startWithDebit()
  expect(newTypes()).toEqual(['charge.pending', 'payment_intent.processing', 'checkout.session.completed'])
  expect(await session()).toMatchObject({
    status: 'complete',
    payment_status: 'unpaid',
    payment_intent: {
      status: 'processing',
      amount_received: 0,
      last_payment_error: null,
      latest_charge: { status: 'pending', paid: false, failure_code: null },
    },
  })
  await emulator.resolvePayment(payment)
  expect(newTypes()).toEqual([
    'charge.succeeded',
    'payment_intent.succeeded',
    'checkout.session.async_payment_succeeded',
  ])
  expect(await session()).toMatchObject({
    payment_status: 'paid',
    payment_intent: { status: 'succeeded', amount_received: 4900 },
  })
  await expect(emulator.resolvePayment(payment)).rejects.toThrow(/is not processing/)
})

test('a failed debit leaves the session complete and unpaid; the control can be called with curl', async () => {
  const { emulator, url, session, payment, newTypes } = await startWithDebit()
  newTypes()
  const body = JSON.stringify({ payment_intent: payment, fail: true })
  const answer = await fetch(`${emulator.url}/_emulator/resolve-payment`, { method: 'POST', body })
  expect(await answer.json()).toMatchObject({ id: payment, status: 'requires_payment_method' })
  expect(newTypes()).toEqual([
    'charge.failed',
    'payment_intent.payment_failed',
    'checkout.session.async_payment_failed',
  ])
  expect(await session()).toMatchObject({
    status: 'complete',
    payment_status: 'unpaid',
    payment_intent: { status: 'requires_payment_method', latest_charge: { status: 'failed' } },
  })
  expect(await (await fetch(url ?? '')).text()).toContain('Not paid yet')
  expect((await press({ url }, 'pay')).status).toBe(409)
})

test('a subscription may be paid by debit, but not a trial, which costs nothing', async () => {
  const { emulator, stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(subscriptionOrder())
  expect((await press(session, 'later')).status).toBe(303)
  expect(emulator.subscriptions).toMatchObject([{ status: 'incomplete' }])

  const trial = subscriptionOrder({ subscription_data: { trial_period_days: 7 } })
  const free = await stripe.checkout.sessions.create(trial)
  expect(await (await fetch(free.url ?? '')).text()).not.toContain('bank debit')
  expect((await press(free, 'later')).status).toBe(400)
  expect(await stripe.checkout.sessions.retrieve(free.id)).toMatchObject({ status: 'open' })
})

test('an unpaid subscription stays so while charges fail, and is active again once its invoice is paid', async () => {
  const { emulator, stripe } = await startStripe()
  const id = getId((await buy(stripe, subscriptionOrder())).subscription)
  const status = async (change: Promise<unknown>): Promise<Stripe.Subscription.Status> => {
    await change
    return (await stripe.subscriptions.retrieve(id)).status
  }
  await expect(emulator.markUnpaid(id)).rejects.toThrow(/is not past due/)
  expect(await status(emulator.renew(id, { fail: true }))).toBe('past_due')
  expect(await status(emulator.markUnpaid(id))).toBe('unpaid')
  expect(emulator.events.at(-1)).toMatchObject({
    type: 'customer.subscription.updated',
    data: { object: { status: 'unpaid' }, previous_attributes: { status: 'past_due' } },
  })
  expect(await status(emulator.renew(id, { fail: true }))).toBe('unpaid')
  expect(await status(stripe.subscriptions.update(id, { cancel_at_period_end: true }))).toBe('unpaid')
  expect(await status(emulator.renew(id))).toBe('active')
})
