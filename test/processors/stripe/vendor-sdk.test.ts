import Stripe from 'stripe'
import { expect, test } from 'vitest'
import type { CheckoutOrder } from '../../../lib/processors/processor.ts'
import { stripeAdapter } from '../../../lib/processors/stripe/adapter.ts'
import { monthlyOrder } from '../orders.ts'

// The adapter uses the official SDK with its own settings. Compares its requests with those of the unmodified SDK.

const NOW = new Date('2026-11-23T10:00:00Z')
const ACME = { secretKey: 'sk_test_acme_0123456789', webhookSecret: 'whsec_acme' }
const CHECKOUT_ID = '10964006-8267-4c06-a65d-2588c2529d3c'
const COMPARED_HEADERS = ['authorization', 'accept', 'content-type', 'stripe-version', 'idempotency-key']

interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body: [string, string][]
}

async function readRequest(request: Request): Promise<Sent> {
  const headers = COMPARED_HEADERS.flatMap((name) => {
    const value = request.headers.get(name)
    // The SDK generates one if none is given, so that it can retry.
    return value === null || value.startsWith('stripe-node-retry-') ? [] : [[name, value]]
  })
  const { method, url } = request
  const body = [...new URLSearchParams(await request.text())].sort()
  return { method, url, headers: Object.fromEntries(headers), body }
}

/** A subscription that is cancelled, a page and a portal in one: each call reads what it needs. */
const REPLY = {
  id: 'sub_1',
  url: 'https://checkout.stripe.com/c/pay/1',
  expires_at: 1_800_000_000,
  status: 'active',
  customer: 'cus_1',
  metadata: {},
  cancel_at_period_end: true,
  cancel_at: 1,
  canceled_at: 1,
  trial_start: null,
  trial_end: null,
  start_date: 1,
  schedule: null,
  latest_invoice: null,
  items: {
    data: [
      {
        current_period_start: 1,
        current_period_end: 2,
        price: {
          id: 'price_1',
          currency: 'usd',
          unit_amount: 999,
          recurring: { interval: 'month', interval_count: 1 },
        },
      },
    ],
  },
}

function recorder() {
  const sent: Promise<Sent>[] = []
  const answer: typeof fetch = async (input, init) => {
    sent.push(readRequest(new Request(input, init)))
    return Response.json(REPLY)
  }
  return { sent: () => Promise.all(sent), answer }
}

/** The adapter must send what the official SDK sends. */
async function compare(
  act: (adapter: ReturnType<typeof stripeAdapter>) => Promise<unknown> | undefined,
  call: (stripe: Stripe) => Promise<unknown>,
) {
  const [ours, theirs] = [recorder(), recorder()]
  await act(stripeAdapter(ACME, { base: null, isTest: true, fetch: ours.answer, now: () => NOW }))
  await call(new Stripe(ACME.secretKey, { httpClient: Stripe.createFetchHttpClient(theirs.answer) }))
  const sent = await ours.sent()
  expect(sent).toEqual(await theirs.sent())
  expect(sent).toHaveLength(1)
}

const order = (more: Partial<CheckoutOrder> = {}) =>
  monthlyOrder({
    key: 'key_1',
    checkoutId: CHECKOUT_ID,
    processorPrice: 'price_1',
    successUrl: 'https://pay.example/success',
    errorUrl: 'https://pay.example/error',
    ...more,
  })
const metadata = { checkout_id: CHECKOUT_ID, paywall_id: '1001', user_id: 'user_1' }
const common = {
  line_items: [{ price: 'price_1', quantity: 1 }],
  client_reference_id: 'user_1',
  metadata,
  adaptive_pricing: { enabled: false },
  success_url: 'https://pay.example/success',
  cancel_url: 'https://pay.example/error',
}
const byAddress = { customer_email: 'ada@example.com' }

test.each<[string, Partial<CheckoutOrder>, Stripe.Checkout.SessionCreateParams]>([
  ['a subscription', {}, { ...byAddress, mode: 'subscription', subscription_data: { metadata } }],
  [
    'a trial',
    { trialDays: 7 },
    { ...byAddress, mode: 'subscription', subscription_data: { metadata, trial_period_days: 7 } },
  ],
  [
    'three units',
    { quantity: 3 },
    {
      ...byAddress,
      line_items: [{ price: 'price_1', quantity: 3 }],
      mode: 'subscription',
      subscription_data: { metadata },
    },
  ],
  ['a one-time purchase', { recurring: null }, { ...byAddress, mode: 'payment', payment_intent_data: { metadata } }],
  [
    'a known customer',
    { customers: { USD: 'cus_1' } },
    { customer: 'cus_1', mode: 'subscription', subscription_data: { metadata } },
  ],
])('opens a page for %s as the SDK does', (_, more, params) =>
  compare(
    (adapter) => adapter.openCheckout(order(more)),
    (stripe) => stripe.checkout.sessions.create({ ...common, ...params }, { idempotencyKey: 'key_1' }),
  ),
)

test('cancels as the SDK does', () =>
  compare(
    (adapter) => adapter.cancelAtPeriodEnd('sub_1', 'Too expensive & “new”'),
    (stripe) =>
      stripe.subscriptions.update('sub_1', {
        cancel_at_period_end: true,
        cancellation_details: { comment: 'Too expensive & “new”' },
      }),
  ))

test('opens the portal as the SDK does', () =>
  compare(
    (adapter) => adapter.openPortal?.('cus_1', 'https://shop.example/account'),
    (stripe) => stripe.billingPortal.sessions.create({ customer: 'cus_1', return_url: 'https://shop.example/account' }),
  ))

test.each<[string, (stripe: Stripe) => Promise<unknown>]>([
  ['in_1', (stripe) => stripe.invoices.retrieve('in_1')],
  ['pi_1', (stripe) => stripe.paymentIntents.retrieve('pi_1', { expand: ['latest_charge'] })],
])('opens the receipt of %s as the SDK does', (id, call) =>
  compare(
    (adapter) => expect(adapter.openReceipt?.({ id, customer: null })).rejects.toThrow('stripe: unexpected response'),
    call,
  ),
)

test.each<['page' | 'subscription' | 'payment', (stripe: Stripe) => Promise<unknown>]>([
  [
    'page',
    (stripe) =>
      stripe.checkout.sessions.retrieve('id_1', {
        expand: ['subscription.latest_invoice', 'subscription.schedule', 'payment_intent.latest_charge'],
      }),
  ],
  ['subscription', (stripe) => stripe.subscriptions.retrieve('id_1', { expand: ['latest_invoice', 'schedule'] })],
  ['payment', (stripe) => stripe.paymentIntents.retrieve('id_1', { expand: ['latest_charge'] })],
])('reads a %s as the SDK does', (kind, call) => compare((adapter) => adapter.observe({ kind, id: 'id_1' }), call))

test('accepts what the SDK signs, and nothing else', async () => {
  const adapter = stripeAdapter(ACME, { base: null, isTest: true, fetch, now: () => NOW })
  const data = { object: { id: 'sub_1' } }
  const event = { id: 'evt_1', object: 'event', type: 'customer.subscription.updated', created: 1, data }
  const rawBody = JSON.stringify(event)
  const signedWith = (secret: string) =>
    new Stripe(ACME.secretKey).webhooks.generateTestHeaderStringAsync({
      payload: rawBody,
      secret,
      timestamp: Math.floor(NOW.getTime() / 1000),
    })
  const inbound = async (secret: string) => ({
    headers: new Headers({ 'stripe-signature': await signedWith(secret) }),
    rawBody,
    now: NOW,
  })
  const about = { kind: 'subscription', id: 'sub_1' }
  expect(await adapter.readEvent(await inbound(ACME.webhookSecret))).toMatchObject({ id: 'evt_1', about })
  await expect(adapter.readEvent(await inbound('whsec_another'))).rejects.toThrow('invalid signature')
})
