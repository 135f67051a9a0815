import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { ACME, buy, getId, paymentOrder, startStripe, subscriptionOrder } from './fixture.ts'

describe('checkout sessions', () => {
  test('opens a session with the given parameters', async () => {
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

  test('uses the account’s setting for Adaptive Pricing, unless the session has its own', async () => {
    const { emulator, stripe } = await startStripe()
    const read = async (more = {}) =>
      (await stripe.checkout.sessions.create(subscriptionOrder(more))).adaptive_pricing?.enabled
    const off = { adaptive_pricing: { enabled: false } }
    expect([await read(), await read(off)]).toEqual([true, false])
    await emulator.setAdaptivePricing(ACME.paywallId, false)
    expect([await read(), await read({ adaptive_pricing: { enabled: true } })]).toEqual([false, true])
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
    const customer = getId((await buy(stripe, subscriptionOrder())).customer)
    const again = await buy(stripe, { ...order, customer })
    expect(again).toMatchObject({ customer, customer_email: null, customer_details: { email: 'ada@example.com' } })
    expect(emulator.subscriptions.map((subscription) => subscription.customer)).toEqual([customer, customer])
  })

  test('bills a customer in one currency at a time, open sessions included', async () => {
    const { emulator, stripe } = await startStripe()
    const { customer_email: _, ...order } = subscriptionOrder()
    const inYen = { ...order, line_items: [{ price: 'price_quarter', quantity: 1 }] }
    const customer = getId((await buy(stripe, subscriptionOrder())).customer)
    const refusal = {
      type: 'StripeInvalidRequestError',
      rawType: 'invalid_request_error',
      statusCode: 400,
      message:
        'You cannot combine currencies on a single customer. This customer has an active subscription, subscription ' +
        'schedule, discount, quote, invoice item or active subscription mode checkout session with currency usd.',
    }
    const inOtherCurrency = () => stripe.checkout.sessions.create({ ...inYen, customer })
    await expect(inOtherCurrency(), 'a subscription').rejects.toMatchObject(refusal)
    const { customer_email: _email, ...once } = paymentOrder()
    expect(await stripe.checkout.sessions.create({ ...once, customer }), 'a one-time payment').toBeTruthy()
    expect(await stripe.checkout.sessions.create(inYen), 'another customer').toBeTruthy()

    await emulator.end(String(emulator.subscriptions[0]?.id))
    const open = await stripe.checkout.sessions.create({ ...order, customer })
    await expect(inOtherCurrency(), 'an open session').rejects.toMatchObject(refusal)
    await stripe.checkout.sessions.expire(open.id)
    expect(await inOtherCurrency()).toMatchObject({ currency: 'jpy', customer })
  })

  test('expires an open session once', async () => {
    const { stripe } = await startStripe()
    const { id } = await stripe.checkout.sessions.create(subscriptionOrder())
    expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: 'expired', url: null })
    await expect(stripe.checkout.sessions.expire(id)).rejects.toThrow(/status of `expired`/)
  })

  test('expands the objects that a paid session refers to', async () => {
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

  const invalid: [string, Record<string, unknown>, string, string][] = [
    ['an unknown price', { line_items: [{ price: 'price_no' }] }, "No such price: 'price_no'", 'line_items[0][price]'],
    ['a recurring price for one payment', { mode: 'payment' }, 'passed a recurring price', 'line_items[0][price]'],
    [
      'a one-time price for a subscription',
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
      'an unknown nested parameter',
      { subscription_data: { days: 1 } },
      'unknown parameter: subscription_data[days]',
      'subscription_data[days]',
    ],
    ['no success_url', { success_url: undefined }, 'Missing required param: success_url.', 'success_url'],
    ['a bad success_url', { success_url: 'thanks' }, 'Not a valid URL', 'success_url'],
    ['a bad number', { expires_at: 'soon' }, 'Invalid integer: soon', 'expires_at'],
    ['an expiry that is too early', { expires_at: 1 }, 'at least 30 minutes', 'expires_at'],
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
  test.for(invalid)('refuses %s', async ([, change, message, param]) => {
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

  test('rejects an e-mail address with an invalid domain', async () => {
    const { stripe } = await startStripe()
    const open = (customer_email: string) => stripe.checkout.sessions.create(subscriptionOrder({ customer_email }))
    for (const domain of ['test', 'invalid', 'localhost', 'local', 'lan', 'home', 'corp', 'con', 'cmo']) {
      const customer_email = `ada@acme.${domain}`
      await expect(open(customer_email)).rejects.toMatchObject({
        statusCode: 400,
        code: 'email_invalid',
        param: 'customer_email',
        message: `Invalid email address: ${customer_email}`,
      })
    }
    expect(await open('ada@example.com')).toMatchObject({ status: 'open' })
  })
})
