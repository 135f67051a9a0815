import { afterEach, describe, expect, test, vi } from 'vitest'
import * as chargebee from '../processors/chargebee/emulator/fixture.ts'
import * as freemius from '../processors/freemius/emulator/fixture.ts'
import * as polar from '../processors/polar/emulator/fixture.ts'
import * as stripe from '../processors/stripe/emulator/fixture.ts'

const PAYWALL = '1001'

describe('a call over the rate limit', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  const CALLS = [
    {
      name: 'Stripe',
      async start() {
        const { emulator } = await stripe.startStripe({ rateLimited: true })
        return { emulator, headers: { authorization: `Bearer ${stripe.ACME.secretKey}` }, path: '/v1/events/evt_1' }
      },
      calls: 25,
      seconds: 1,
    },
    {
      name: 'Polar',
      async start() {
        const { emulator } = await polar.startPolar({ rateLimited: true })
        return { emulator, headers: { authorization: `Bearer ${polar.ACME.accessToken}` }, path: '/v1/orders/' }
      },
      calls: 100,
      seconds: 60,
    },
    {
      name: 'Chargebee',
      async start() {
        const { emulator } = await chargebee.startChargebee({ rateLimited: true })
        const authorization = `Basic ${btoa(`${chargebee.ACME.apiKey}:`)}`
        return { emulator, headers: { authorization }, path: '/api/v2/customers/cbc_1' }
      },
      calls: 150,
      seconds: 60,
    },
  ]

  test.each(CALLS)(
    'at $name gets 429 with Retry-After, and succeeds after that time',
    async ({ start, calls, seconds }) => {
      vi.useFakeTimers({ toFake: ['Date'] }) // freezes the clock, so that all calls count as simultaneous
      const { emulator, headers, path } = await start()
      const call = () => fetch(`${emulator.url}${path}`, { headers })
      for (let made = 0; made < calls; made += 1) expect((await call()).status).not.toBe(429)
      const refused = await call()
      expect(refused.status).toBe(429)
      const wait = Number(refused.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(seconds)
      await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + wait)
      expect((await call()).status).not.toBe(429)
      await emulator.setRateLimit(PAYWALL, 'none')
      await Promise.all(Array.from({ length: calls + 1 }, async () => expect((await call()).status).not.toBe(429)))
    },
  )

  test('is refused for its own account only', async () => {
    const other = { ...polar.ACME, paywallId: '1002', accessToken: 'polar_oat_other_0123456789' }
    const { emulator } = await polar.startPolar({ accounts: [polar.ACME, other] })
    await emulator.setRateLimit(PAYWALL, { calls: 1, seconds: 60 })
    await emulator.setRateLimit(other.paywallId, { calls: 1, seconds: 60 })
    const call = async ({ accessToken }: typeof other) => {
      const headers = { authorization: `Bearer ${accessToken}` }
      return (await fetch(`${emulator.url}/v1/orders/`, { headers })).status
    }
    expect([await call(polar.ACME), await call(polar.ACME), await call(other)]).toEqual([200, 429, 200])
  })
})

describe('versions', () => {
  test('at Polar `modified_at` is null at first, and increases with each change, even in quick succession', async () => {
    const { polar: sdk } = await polar.startPolar()
    const { id } = await polar.buy(sdk)
    expect(await sdk.subscriptions.get(id)).toMatchObject({ modified_at: null })
    const first = await sdk.subscriptions.update(id, { cancel_at_period_end: true })
    const second = await sdk.subscriptions.update(id, { cancel_at_period_end: false })
    const [one = '', two = ''] = [first.modified_at, second.modified_at].map(String)
    expect(two > one).toBe(true)
    expect((await sdk.subscriptions.get(id)).modified_at).toBe(two)
  })

  test('at Chargebee `resource_version` increases with each change', async () => {
    const { emulator, chargebee: sdk } = await chargebee.startChargebee()
    const { subscription } = await chargebee.subscribe(sdk)
    const id = subscription?.id ?? ''
    const version = async () => (await sdk.subscription.retrieve(id)).subscription.resource_version ?? 0
    const versions = [await version(), await version()]
    await sdk.subscription.cancelForItems(id, { cancel_option: 'end_of_term' })
    versions.push(await version())
    await emulator.portalUndo(id)
    versions.push(await version())
    const [one = 0, same = 0, two = 0, three = 0] = versions
    expect(same).toBe(one)
    expect([two > one, three > two]).toEqual([true, true])
  })
})

test('reads at Polar return an older state than its webhooks while the replica lags', async () => {
  const { url: serviceUrl, deliveries } = await polar.startReceiver()
  const { emulator, polar: sdk } = await polar.startPolar({ serviceUrl })
  const { id, order } = await polar.buy(sdk)
  await emulator.setReplicaLag(PAYWALL, 60)
  await emulator.end(id)
  await emulator.drainWebhooks()
  const reported = deliveries.findLast(({ event }) => event.type === 'subscription.revoked')?.event
  expect(reported?.data).toMatchObject({ status: 'canceled', modified_at: expect.any(String) })
  expect(await sdk.subscriptions.get(id)).toMatchObject({ status: 'active', modified_at: null })
  await emulator.refund(order.id)
  expect(await sdk.orders.get(order.id)).toMatchObject({ status: 'paid' })
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + 61)
  expect(await sdk.subscriptions.get(id)).toMatchObject({ status: 'canceled' })
  expect((await sdk.orders.list({ subscription_id: id })).items).toMatchObject([{ status: 'refunded' }])
})

describe('taxes and a coupon', () => {
  const TERMS = { taxPercent: 20, percentOff: 10 }
  // 10 % off 9.99, then 20 % tax on the rest.
  const [DISCOUNT, TAX] = [100, 180]
  const TOTAL = 999 - DISCOUNT + TAX

  test('at Stripe', async () => {
    const { emulator, stripe: sdk } = await stripe.startStripe()
    await emulator.setTerms(PAYWALL, TERMS)
    const session = await stripe.buy(sdk, stripe.subscriptionOrder())
    expect(session).toMatchObject({
      amount_subtotal: 999,
      amount_total: TOTAL,
      total_details: { amount_discount: DISCOUNT, amount_tax: TAX },
    })
    const id = stripe.getId(session.subscription)
    await emulator.renew(id)
    const { latest_invoice, items } = await sdk.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    expect(latest_invoice).toMatchObject({
      subtotal: 999,
      total: TOTAL,
      total_excluding_tax: TOTAL - TAX,
      amount_paid: TOTAL,
      total_taxes: [{ amount: TAX }],
      total_discount_amounts: [{ amount: DISCOUNT }],
    })
    expect(items.data[0]).toMatchObject({ price: { unit_amount: 999 } })
    const once = await stripe.buy(sdk, stripe.paymentOrder())
    const payment = await sdk.paymentIntents.retrieve(stripe.getId(once.payment_intent))
    expect(payment.amount).toBe(once.amount_total)
    expect(once.amount_total).not.toBe(once.amount_subtotal)
  })

  test('at Polar, where a refund includes its share of the tax', async () => {
    const { emulator, polar: sdk } = await polar.startPolar()
    await emulator.setTerms(PAYWALL, TERMS)
    const { order, checkout } = await polar.buy(sdk)
    const amounts = { discount_amount: DISCOUNT, net_amount: 999 - DISCOUNT, tax_amount: TAX, total_amount: TOTAL }
    expect(checkout).toMatchObject({ amount: 999, ...amounts })
    expect(order).toMatchObject({ subtotal_amount: 999, ...amounts, due_amount: TOTAL })
    expect(await sdk.subscriptions.get(order.subscription_id ?? '')).toMatchObject({ amount: 999 })
    const refund = await sdk.refunds.create({ order_id: order.id, amount: 999 - DISCOUNT, reason: 'other' })
    expect(refund).toMatchObject({ amount: 999 - DISCOUNT, tax_amount: TAX })
    expect(await sdk.orders.get(order.id)).toMatchObject({ status: 'refunded', refunded_tax_amount: TAX })
  })

  test('at Chargebee', async () => {
    const { emulator, chargebee: sdk } = await chargebee.startChargebee()
    await emulator.setTerms(PAYWALL, TERMS)
    const { invoice, subscription } = await chargebee.subscribe(sdk)
    expect(invoice).toMatchObject({
      sub_total: 999,
      tax: TAX,
      total: TOTAL,
      amount_paid: TOTAL,
      discounts: [{ amount: DISCOUNT }],
      linked_payments: [{ txn_amount: TOTAL }],
    })
    expect(subscription).toMatchObject({ subscription_items: [{ unit_price: 999 }] })
  })

  test('at Freemius, whose amounts exclude tax', async () => {
    const { emulator, freemius: sdk } = await freemius.startFreemius()
    await emulator.setTerms(PAYWALL, TERMS)
    const { user, license } = await freemius.buy(sdk, emulator)
    const [paid] = await sdk.api.user.retrievePayments(user)
    expect(paid).toMatchObject({ gross: (TOTAL - TAX) / 100, vat: TAX / 100 })
    const subscription = await sdk.api.license.retrieveSubscription(license)
    expect(subscription).toMatchObject({ amount_per_cycle: 9.99, renewal_amount: 8.99, tax_rate: 0.2 })
  })
})

test('setValues makes a field return an unknown enum value', async () => {
  const { emulator, polar: sdk } = await polar.startPolar()
  const { order } = await polar.buy(sdk)
  await emulator.setValues(PAYWALL, { billing_reason: 'subscription_gift' })
  expect(await sdk.orders.get(order.id)).toMatchObject({ billing_reason: 'subscription_gift' })
  await emulator.renew(order.subscription_id ?? '')
  expect(emulator.events.findLast(({ type }) => type === 'order.paid')?.data).toMatchObject({
    billing_reason: 'subscription_gift',
  })
  await emulator.setValues(PAYWALL, {})
  expect(await sdk.orders.get(order.id)).toMatchObject({ billing_reason: 'subscription_create' })
})

test('rejects an undeliverable e-mail address: at Stripe an invalid domain, at Polar also a domain that accepts no mail', async () => {
  const { stripe: sdk } = await stripe.startStripe()
  const openAtStripe = (customer_email: string) =>
    sdk.checkout.sessions.create(stripe.subscriptionOrder({ customer_email }))
  for (const domain of ['test', 'invalid', 'localhost', 'local', 'lan', 'home', 'corp', 'con', 'cmo']) {
    const customer_email = `ada@acme.${domain}`
    await expect(openAtStripe(customer_email)).rejects.toMatchObject({
      statusCode: 400,
      code: 'email_invalid',
      param: 'customer_email',
      message: `Invalid email address: ${customer_email}`,
    })
  }
  expect(await openAtStripe('ada@example.com')).toMatchObject({ status: 'open' })
  const { emulator, polar: api } = await polar.startPolar()
  for (const customer_email of ['ada@example.com', 'ada@mail.example.org', 'ada@acme.invalid']) {
    await expect(api.checkouts.create(polar.monthlyOrder({ customer_email }))).rejects.toThrow(/customer_email/)
  }
  const { customer_email: _, ...order } = polar.monthlyOrder()
  const checkout = await api.checkouts.create(order)
  expect((await polar.press(checkout, 'pay', { email: 'ada@example.com' })).status).toBe(422)
  expect((await polar.press(checkout, 'pay', { email: 'ada@acme.dev' })).status).toBe(303)
  expect(emulator.checkouts).toMatchObject([{ status: 'succeeded', customer_email: 'ada@acme.dev' }])
})
