import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { ACME, buy, getId, paymentOrder, sdk, startStripe, subscriptionOrder } from './fixture.ts'

describe('subscriptions', () => {
  test('schedules an end, undoes it, and ends at once', async () => {
    const { stripe } = await startStripe()
    const id = getId((await buy(stripe, subscriptionOrder())).subscription)
    const scheduled = await stripe.subscriptions.update(id, {
      cancel_at_period_end: true,
      cancellation_details: { comment: 'too dear', feedback: 'too_expensive' },
      metadata: { seen: 'yes' },
    })
    expect(scheduled).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      cancel_at: scheduled.items.data[0]?.current_period_end,
      cancellation_details: { comment: 'too dear', feedback: 'too_expensive', reason: 'cancellation_requested' },
      metadata: { seen: 'yes' },
    })
    const undone = await stripe.subscriptions.update(id, { cancel_at_period_end: false, metadata: { seen: '' } })
    expect(undone).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null, metadata: {} })

    expect(await stripe.subscriptions.cancel(id)).toMatchObject({ status: 'canceled', ended_at: expect.any(Number) })
    await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ statusCode: 404, code: 'resource_missing' })
    await expect(stripe.subscriptions.update(id, { cancel_at_period_end: true })).rejects.toThrow(
      /canceled subscription/,
    )
  })

  test('keeps the period on the item, and our metadata on the invoice', async () => {
    const { stripe } = await startStripe()
    const order = subscriptionOrder({ subscription_data: { metadata: { user_id: 'u1' } } })
    const paid = await buy(stripe, order)
    const subscription = await stripe.subscriptions.retrieve(getId(paid.subscription), { expand: ['latest_invoice'] })
    const [item] = subscription.items.data
    expect(item).toMatchObject({
      price: { id: 'price_month', unit_amount: 999 },
      current_period_start: subscription.created,
    })
    expect(item?.price.unit_amount_decimal?.toString()).toBe('999')
    const days = ((item?.current_period_end ?? 0) - subscription.created) / 86_400
    expect(days).toBeGreaterThanOrEqual(28)
    expect(days).toBeLessThanOrEqual(31)
    expect(await stripe.invoices.retrieve(getId(subscription.latest_invoice))).toMatchObject({
      billing_reason: 'subscription_create',
      status: 'paid',
      amount_paid: 999,
      currency: 'usd',
      parent: { subscription_details: { subscription: subscription.id, metadata: { user_id: 'u1' } } },
    })
  })
})

describe('payments', () => {
  test('charges a one-time payment and refunds it in parts', async () => {
    const { stripe } = await startStripe()
    const order = paymentOrder({ customer_creation: 'always', payment_intent_data: { metadata: { user_id: 'u1' } } })
    const session = await buy(stripe, order)
    expect(session).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      subscription: null,
      amount_total: 4900,
    })
    expect(await stripe.customers.retrieve(getId(session.customer))).toMatchObject({ email: 'ada@example.com' })

    const id = getId(session.payment_intent)
    const payment = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] })
    const charge = { paid: true, receipt_url: expect.stringMatching(/^http.+\/receipts\/ch_/) }
    expect(payment).toMatchObject({ status: 'succeeded', metadata: { user_id: 'u1' }, latest_charge: charge })

    const part = await stripe.refunds.create({ payment_intent: id, amount: 900 })
    expect(part).toMatchObject({ object: 'refund', amount: 900, status: 'succeeded', payment_intent: id })
    await expect(stripe.refunds.create({ payment_intent: id, amount: 4001 })).rejects.toThrow(/greater than unrefunded/)
    expect(await stripe.refunds.create({ payment_intent: id })).toMatchObject({ amount: 4000 })
    await expect(stripe.refunds.create({ payment_intent: id })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    })
    const refunded = await stripe.charges.retrieve(getId(payment.latest_charge), { expand: ['refunds'] })
    expect(refunded).toMatchObject({ amount_refunded: 4900, refunded: true, refunds: { data: [{}, {}] } })
  })

  test('finds the invoice of a payment', async () => {
    const { stripe } = await startStripe()
    const session = await buy(stripe, subscriptionOrder())
    const [link] = (await stripe.invoicePayments.list({ invoice: getId(session.invoice) })).data
    const found = await stripe.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: getId(link?.payment.payment_intent) },
      expand: ['data.invoice'],
    })
    const parent = { subscription_details: { subscription: session.subscription } }
    expect(found.data).toMatchObject([{ status: 'paid', amount_paid: 999, invoice: { object: 'invoice', parent } }])
  })

  test('returns prices and events', async () => {
    const { emulator, stripe } = await startStripe()
    const price = await stripe.prices.retrieve('price_quarter')
    expect(price).toMatchObject({
      currency: 'jpy',
      unit_amount: 2400,
      recurring: { interval: 'month', interval_count: 3 },
    })
    await buy(stripe, subscriptionOrder())
    const [first] = emulator.events
    const event = await stripe.events.retrieve(first?.id ?? '')
    expect(event).toMatchObject({ type: first?.type, api_version: '2026-10-28.endive', livemode: false })
  })
})

describe('accounts', () => {
  test('refuses a missing and an unknown key as Stripe does', async () => {
    const { emulator } = await startStripe()
    const wrong = sdk(emulator, 'sk_test_somebody_else').customers.retrieve('cus_1')
    await expect(wrong).rejects.toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
    await expect(wrong).rejects.toThrow('Invalid API Key provided: sk_test_****else')
    const answer = await fetch(`${emulator.url}/v1/customers/cus_1`)
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  })

  test("does not show one account another's objects", async () => {
    const other = { ...ACME, paywallId: '2002', secretKey: 'sk_test_other_0123456789' }
    const { emulator, stripe } = await startStripe({ accounts: [ACME, other] })
    const session = await buy(stripe, subscriptionOrder())
    const foreign = sdk(emulator, other.secretKey)
    for (const call of [
      foreign.checkout.sessions.retrieve(session.id),
      foreign.subscriptions.update(getId(session.subscription), { cancel_at_period_end: true }),
      foreign.customers.retrieve(getId(session.customer)),
      foreign.invoices.retrieve(getId(session.invoice)),
    ]) {
      await expect(call).rejects.toMatchObject({ statusCode: 404, code: 'resource_missing' })
    }
    expect((await foreign.invoicePayments.list()).data).toEqual([])
  })

  test('refuses an unknown path and another API version', async () => {
    const { emulator, stripe } = await startStripe()
    await expect(stripe.products.list()).rejects.toThrow(/Unrecognized request URL \(GET: \/v1\/products\)/)
    const headers = { Authorization: `Bearer ${ACME.secretKey}`, 'Stripe-Version': '2024-06-20' }
    const answer = await fetch(`${emulator.url}/v1/prices/price_month`, { headers })
    expect(answer.status).toBe(400)
  })
})
