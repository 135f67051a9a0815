import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { ACME, paymentOrder, press, startStripe, subscriptionOrder } from './fixture.ts'

const show = async (session: { url: string | null }) => (await fetch(session.url ?? '')).text()

test('shows what is bought, from whom, and what it costs', async () => {
  const { stripe } = await startStripe()
  const monthly = await show(await stripe.checkout.sessions.create(subscriptionOrder()))
  for (const shown of ['Acme Pro', 'Monthly', 'per month', 'ada@example.com', 'Pay $9.99', 'Decline', 'Cancel']) {
    expect(monthly).toContain(shown)
  }
  const quarterly = subscriptionOrder({ line_items: [{ price: 'price_quarter', quantity: 2 }] })
  const page = await show(await stripe.checkout.sessions.create(quarterly))
  expect(page).toContain('2 × ')
  expect(page).toContain('¥4,800')
  expect(page).toContain('every 3 months')
  expect(await show(await stripe.checkout.sessions.create(paymentOrder()))).toContain('One-time payment')
})

test('shows the length of a trial and the price after it', async () => {
  const { stripe } = await startStripe()
  const order = subscriptionOrder({ subscription_data: { trial_period_days: 7 } })
  const page = await show(await stripe.checkout.sessions.create(order))
  expect(page).toContain('7 days free')
  expect(page).toContain('then $9.99 per month')
})

test('escapes text from outside, and runs no script', async () => {
  const hostile = { ...ACME, paywallName: '<script>alert(1)</script>' }
  const { stripe } = await startStripe({ accounts: [hostile] })
  const session = await stripe.checkout.sessions.create(
    subscriptionOrder({ customer_email: `"o'hara"@example.com`.replaceAll('"', '') }),
  )
  const answer = await fetch(session.url ?? '')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = await answer.text()
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;')
})

test('pay completes the session and redirects to success_url', async () => {
  const { emulator, stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(subscriptionOrder())
  const answer = await press(session, 'pay')
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe(`https://shop.example/thanks?session=${session.id}`)
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] })
  expect(paid).toMatchObject({
    status: 'complete',
    payment_status: 'paid',
    url: null,
    customer_details: { email: 'ada@example.com' },
    subscription: { status: 'active', trial_end: null },
  })
  expect(emulator.subscriptions).toHaveLength(1)
})

test('pay with a trial charges nothing', async () => {
  const { emulator, stripe } = await startStripe()
  const order = subscriptionOrder({ subscription_data: { trial_period_days: 7 } })
  const session = await stripe.checkout.sessions.create(order)
  await press(session, 'pay')
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'invoice'] })
  expect(paid).toMatchObject({
    payment_status: 'no_payment_required',
    subscription: { status: 'trialing', trial_end: expect.any(Number) },
    invoice: { amount_paid: 0, status: 'paid' },
  })
  const { start_date, trial_end } = paid.subscription as Stripe.Subscription
  expect(trial_end).toBe(start_date + 7 * 86_400)
  expect(emulator.events.some(({ type }) => type.startsWith('charge.'))).toBe(false)
})

test('decline shows an error and leaves the session open, and it can be paid afterwards', async () => {
  const { emulator, stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(paymentOrder())
  const declined = await press(session, 'decline')
  expect(declined.status).toBe(303)
  const shown = await fetch(new URL(declined.headers.get('location') ?? '', session.url ?? ''))
  expect(await shown.text()).toContain('Your card was declined')
  const open = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })
  expect(open).toMatchObject({
    status: 'open',
    payment_intent: { status: 'requires_payment_method', last_payment_error: { code: 'card_declined' } },
  })
  expect(emulator.events.map(({ type }) => type)).toEqual(['charge.failed', 'payment_intent.payment_failed'])

  expect((await press(session, 'pay')).status).toBe(303)
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })
  expect(paid).toMatchObject({ status: 'complete', payment_intent: { status: 'succeeded', last_payment_error: null } })
})

test('cancel redirects to cancel_url and leaves the session open', async () => {
  const { stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(subscriptionOrder())
  const answer = await press(session, 'cancel')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://shop.example/sorry'])
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'open' })
})

test('two concurrent submits create one subscription', async () => {
  const { emulator, stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(subscriptionOrder())
  const answers = await Promise.all([press(session, 'pay'), press(session, 'pay')])
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409])
  expect(emulator.subscriptions).toHaveLength(1)
  const later = await fetch(session.url ?? '')
  expect([later.status, (await later.text()).includes('Already paid')]).toEqual([200, true])
})

test('shows that a session has expired, and returns 404 for an unknown one', async () => {
  const { emulator, stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(subscriptionOrder())
  await stripe.checkout.sessions.expire(session.id)
  const answer = await press(session, 'pay')
  expect([answer.status, (await answer.text()).includes('has expired')]).toEqual([409, true])
  expect((await fetch(`${emulator.url}/c/pay/cs_test_no`)).status).toBe(404)
  expect(emulator.subscriptions).toHaveLength(0)
})

test('asks for an email when the session has none, and refuses an unknown button', async () => {
  const { stripe } = await startStripe()
  const { customer_email: _, ...order } = subscriptionOrder()
  const session = await stripe.checkout.sessions.create(order)
  expect((await press(session, 'pay')).status).toBe(422)
  expect((await press(session, 'steal')).status).toBe(400)
  expect((await press(session, 'pay', { email: 'grace@example.com' })).status).toBe(303)
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['customer'] })
  expect(paid).toMatchObject({ customer: { email: 'grace@example.com' } })
})
