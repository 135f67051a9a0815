import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { ACME, buy, idOf, paymentOrder, sdk, startStripe, subscriptionOrder } from './stripe-fixture.ts'

describe('checkout sessions', () => {
  test('opens a session with what it was given', async () => {
    const { emulator, stripe } = await startStripe()
    const session = await stripe.checkout.sessions.create(
      subscriptionOrder({
        client_reference_id: 'user_1',
        metadata: { checkout_id: 'c1' },
        subscription_data: { trial_period_days: 7, metadata: { user_id: 'u1' } },
      }),
    )
    expect(session).toMatchObject({
      object: 'checkout.session',
      mode: 'subscription',
      status: 'open',
      payment_status: 'unpaid',
      url: `${emulator.url}/c/pay/${session.id}`,
      client_reference_id: 'user_1',
      customer_email: 'ada@example.com',
      metadata: { checkout_id: 'c1' },
      currency: 'usd',
      amount_total: 0,
      livemode: false,
    })
    expect(session.id).toMatch(/^cs_test_/)
    expect(session.expires_at - session.created).toBe(24 * 3600)
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ id: session.id, status: 'open' })
  })

  test('records each call with its key and its decoded form', async () => {
    const { emulator, stripe } = await startStripe()
    await stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k1' })
    expect(emulator.calls).toHaveLength(1)
    expect(emulator.calls[0]).toMatchObject({
      method: 'POST',
      path: '/v1/checkout/sessions',
      idempotencyKey: 'k1',
      body: { mode: 'subscription', line_items: [{ price: 'price_month', quantity: '1' }] },
    })
  })

  test('lets a customer buy again', async () => {
    const { emulator, stripe } = await startStripe()
    const { customer_email: _, ...order } = subscriptionOrder()
    const customer = idOf((await buy(stripe, subscriptionOrder())).customer)
    const again = await buy(stripe, { ...order, customer })
    expect(again).toMatchObject({ customer, customer_email: null, customer_details: { email: 'ada@example.com' } })
    expect(emulator.subscriptions.map((subscription) => subscription.customer)).toEqual([customer, customer])
  })

  test('expires an open session once', async () => {
    const { stripe } = await startStripe()
    const { id } = await stripe.checkout.sessions.create(subscriptionOrder())
    expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: 'expired', url: null })
    await expect(stripe.checkout.sessions.expire(id)).rejects.toThrow(/status of `expired`/)
  })

  test('expands what a paid session points to', async () => {
    const { stripe } = await startStripe()
    const paid = await buy(stripe, subscriptionOrder())
    const session = await stripe.checkout.sessions.retrieve(paid.id, {
      expand: ['subscription.latest_invoice.payments', 'customer', 'line_items', 'payment_intent'],
    })
    expect(session).toMatchObject({
      customer: { object: 'customer', email: 'ada@example.com' },
      line_items: { data: [{ price: { id: 'price_month' } }] },
      payment_intent: null,
      subscription: { latest_invoice: { object: 'invoice', payments: { data: [{ status: 'paid' }] } } },
    })
    await expect(stripe.checkout.sessions.retrieve(paid.id, { expand: ['mode'] })).rejects.toThrow(/cannot be expanded/)
  })

  const refusals: [string, Record<string, unknown>, string, string][] = [
    ['an unknown price', { line_items: [{ price: 'price_no' }] }, "No such price: 'price_no'", 'line_items[0][price]'],
    ['a recurring price for one payment', { mode: 'payment' }, 'passed a recurring price', 'line_items[0][price]'],
    [
      'a one-time price to subscribe to',
      { line_items: [{ price: 'price_once' }] },
      'at least one recurring',
      'line_items[0][price]',
    ],
    [
      'an unknown parameter, before one that is missing',
      { shop_url: 'x', success_url: undefined },
      'Received unknown parameter: shop_url',
      'shop_url',
    ],
    [
      'a nested unknown one',
      { subscription_data: { days: 1 } },
      'unknown parameter: subscription_data[days]',
      'subscription_data[days]',
    ],
    ['no success_url', { success_url: undefined }, 'Missing required param: success_url.', 'success_url'],
    ['a bad success_url', { success_url: 'thanks' }, 'Not a valid URL', 'success_url'],
    ['a bad number', { expires_at: 'soon' }, 'Invalid integer: soon', 'expires_at'],
    ['an early end', { expires_at: 1 }, 'at least 30 minutes', 'expires_at'],
    ['an unknown mode', { mode: 'gift' }, 'Invalid mode: must be one of', 'mode'],
    ['a bad email', { customer_email: 'ada' }, 'Invalid email address: ada', 'customer_email'],
    [
      'an unknown customer',
      { customer: 'cus_no', customer_email: undefined },
      "No such customer: 'cus_no'",
      'customer',
    ],
    [
      'a trial of no days',
      { subscription_data: { trial_period_days: 0 } },
      'at least 1',
      'subscription_data[trial_period_days]',
    ],
    [
      'payment data in a subscription',
      { payment_intent_data: { metadata: {}, description: 'x' } },
      'unknown parameter',
      'payment_intent_data[description]',
    ],
  ]
  test.for(refusals)('refuses %s', async ([, change, message, param]) => {
    const { stripe } = await startStripe()
    const refused = await stripe.checkout.sessions.create(subscriptionOrder(change)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
    expect(refused).toMatchObject({ statusCode: 400, param })
    expect(String(refused)).toContain(message)
  })

  test('refuses a customer together with an email, and data of the other mode', async () => {
    const { stripe } = await startStripe()
    const create = (order: Stripe.Checkout.SessionCreateParams) => stripe.checkout.sessions.create(order)
    await expect(create(subscriptionOrder({ customer: 'cus_1' }))).rejects.toThrow(/only specify one of these/)
    const misplaced = { payment_intent_data: { metadata: { a: 'b' } } }
    await expect(create(subscriptionOrder(misplaced))).rejects.toThrow(/`payment_intent_data` in `subscription` mode/)
  })
})

describe('subscriptions', () => {
  test('schedules an end, undoes it, and ends at once', async () => {
    const { stripe } = await startStripe()
    const id = idOf((await buy(stripe, subscriptionOrder())).subscription)
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
    const subscription = await stripe.subscriptions.retrieve(idOf(paid.subscription), { expand: ['latest_invoice'] })
    const [item] = subscription.items.data
    expect(item).toMatchObject({
      price: { id: 'price_month', unit_amount: 999 },
      current_period_start: subscription.created,
    })
    expect(item?.price.unit_amount_decimal?.toString()).toBe('999')
    const days = ((item?.current_period_end ?? 0) - subscription.created) / 86_400
    expect(days).toBeGreaterThanOrEqual(28)
    expect(days).toBeLessThanOrEqual(31)
    expect(await stripe.invoices.retrieve(idOf(subscription.latest_invoice))).toMatchObject({
      billing_reason: 'subscription_create',
      status: 'paid',
      amount_paid: 999,
      currency: 'usd',
      parent: { subscription_details: { subscription: subscription.id, metadata: { user_id: 'u1' } } },
    })
  })
})

describe('payments', () => {
  test('takes a one-time payment and gives it back in parts', async () => {
    const { stripe } = await startStripe()
    const order = paymentOrder({ customer_creation: 'always', payment_intent_data: { metadata: { user_id: 'u1' } } })
    const session = await buy(stripe, order)
    expect(session).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      subscription: null,
      amount_total: 4900,
    })
    expect(await stripe.customers.retrieve(idOf(session.customer))).toMatchObject({ email: 'ada@example.com' })

    const id = idOf(session.payment_intent)
    const payment = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] })
    expect(payment).toMatchObject({ status: 'succeeded', metadata: { user_id: 'u1' }, latest_charge: { paid: true } })

    const part = await stripe.refunds.create({ payment_intent: id, amount: 900 })
    expect(part).toMatchObject({ object: 'refund', amount: 900, status: 'succeeded', payment_intent: id })
    await expect(stripe.refunds.create({ payment_intent: id, amount: 4001 })).rejects.toThrow(/greater than unrefunded/)
    expect(await stripe.refunds.create({ payment_intent: id })).toMatchObject({ amount: 4000 })
    await expect(stripe.refunds.create({ payment_intent: id })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    })
    const refunded = await stripe.charges.retrieve(idOf(payment.latest_charge), { expand: ['refunds'] })
    expect(refunded).toMatchObject({ amount_refunded: 4900, refunded: true, refunds: { data: [{}, {}] } })
  })

  test('leads from a payment to its invoice', async () => {
    const { stripe } = await startStripe()
    const session = await buy(stripe, subscriptionOrder())
    const [link] = (await stripe.invoicePayments.list({ invoice: idOf(session.invoice) })).data
    const found = await stripe.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: idOf(link?.payment.payment_intent) },
      expand: ['data.invoice'],
    })
    const parent = { subscription_details: { subscription: session.subscription } }
    expect(found.data).toMatchObject([{ status: 'paid', amount_paid: 999, invoice: { object: 'invoice', parent } }])
  })

  test('knows its prices and its events', async () => {
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
      foreign.subscriptions.update(idOf(session.subscription), { cancel_at_period_end: true }),
      foreign.customers.retrieve(idOf(session.customer)),
      foreign.invoices.retrieve(idOf(session.invoice)),
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
