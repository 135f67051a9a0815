import { createPolar, webhooks } from '@polar-sh/sdk/2026-10'
import { afterEach, expect, test, vi } from 'vitest'
import type { WebhookRequest } from '../../../lib/processors/event.ts'
import { polarAdapter } from '../../../lib/processors/polar/adapter.ts'
import { POLAR } from '../../../lib/processors/polar/definition.ts'
import type { CheckoutOrder } from '../../../lib/processors/processor.ts'
import { ACME } from './emulator/fixture.ts'
import { ADA, getOrder, getSent, openShop, type Sent } from './shop.ts'

// Compares the adapter's requests with those of the unmodified official SDK on the runtime's own fetch, for the same calls.

const ID = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6a'
const HOME = 'https://shop.example/account'

afterEach(() => vi.unstubAllGlobals())

/** The requests that `act` sends; every call gets an unusable reply. */
async function recordRequests(act: (send: typeof fetch) => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = []
  const send: typeof fetch = async (input, init) => {
    sent.push(getSent(input, init))
    return Response.json({ items: [] })
  }
  vi.stubGlobal('fetch', send)
  await act(send).catch(() => {})
  vi.unstubAllGlobals()
  return sent
}

const ours = (act: (adapter: ReturnType<typeof polarAdapter>) => Promise<unknown> | undefined, isTest = false) =>
  recordRequests(async (fetch) => act(polarAdapter(ACME, { base: null, fetch, now: () => new Date(), isTest })))

const theirs = (act: (polar: ReturnType<typeof createPolar>) => Promise<unknown>, isTest = false) =>
  recordRequests(() =>
    act(createPolar({ accessToken: ACME.accessToken, environment: isTest ? 'sandbox' : 'production' })),
  )

const metadata = { checkout_id: getOrder().checkoutId, paywall_id: '1001', user_id: ADA }
const common = {
  products: [getOrder().processorPrice],
  success_url: getOrder().successUrl,
  return_url: getOrder().errorUrl,
  metadata,
}
const byUser = { external_customer_id: ADA, customer_email: 'ada@buyers.dev' }

test.each<[string, Partial<CheckoutOrder>, object]>([
  ['a subscription', {}, { ...byUser, currency: 'usd', allow_trial: false }],
  [
    'a trial',
    { trialDays: 14 },
    { ...byUser, currency: 'usd', allow_trial: true, trial_interval: 'day', trial_interval_count: 14 },
  ],
  ['another currency', { currency: 'INR' }, { ...byUser, currency: 'inr', allow_trial: false }],
  [
    'a buyer without an e-mail address',
    { email: null },
    { external_customer_id: ADA, currency: 'usd', allow_trial: false },
  ],
  [
    'a known customer',
    { customer: ID },
    { customer_id: ID, metadata: { ...metadata, customer_id: ID }, currency: 'usd', allow_trial: false },
  ],
])('opens a checkout for %s as the SDK does', async (_, more, body) => {
  const sent = await ours((adapter) => adapter.openCheckout(getOrder(more)))
  expect(sent).toEqual(await theirs((polar) => polar.checkouts.create(Object({ ...common, ...body }))))
  expect(sent).toMatchObject([
    {
      method: 'POST',
      url: 'https://api.polar.sh/v1/checkouts/',
      headers: { authorization: `Bearer ${ACME.accessToken}`, type: 'application/json', version: '2026-10' },
    },
  ])
})

test('calls the sandbox API for a test paywall', async () => {
  const sent = await ours((adapter) => adapter.observe({ kind: 'subscription', id: ID }), true)
  expect(sent).toEqual(await theirs((polar) => polar.subscriptions.get(ID), true))
  expect(sent[0]?.url).toBe(`https://sandbox-api.polar.sh/v1/subscriptions/${ID}`)
})

test('cancels, reads and opens receipts and the portal as the SDK does', async () => {
  const why = { customer_cancellation_reason: 'other', customer_cancellation_comment: 'Too dear' } as const
  expect(await ours((adapter) => adapter.cancelAtPeriodEnd(ID, 'Too dear'))).toEqual(
    await theirs((polar) => polar.subscriptions.update(ID, { cancel_at_period_end: true, ...why })),
  )
  expect(await ours((adapter) => adapter.observe({ kind: 'page', id: ID }))).toEqual(
    await theirs((polar) => polar.checkouts.get(ID)),
  )
  expect(await ours((adapter) => adapter.observe({ kind: 'payment', id: ID }))).toEqual(
    await theirs((polar) => polar.orders.get(ID)),
  )
  expect(await ours((adapter) => adapter.openReceipt?.({ id: ID, customer: null }))).toEqual(
    await theirs((polar) => polar.orders.receipt(ID)),
  )
  expect(await ours((adapter) => adapter.openPortal?.(ID, HOME))).toEqual(
    await theirs(async (polar) => {
      await polar.orders.list({ customer_id: ID, limit: 100 })
      await polar.customerSessions.create({ customer_id: ID, return_url: HOME })
    }),
  )
})

test('looks for orders as the SDK does', async () => {
  const shop = await openShop()
  const { page, reference } = await shop.buy()
  const requests = shop.sent.filter(({ url }) => url.includes('/v1/orders/'))
  const polar = createPolar({ accessToken: ACME.accessToken, baseUrl: shop.emulator.url })
  const expected = await recordRequests(async () => {
    await polar.orders.list({ checkout_id: page.pageId, limit: 1 })
    await polar.orders.list({ subscription_id: reference.id, limit: 20 })
  })
  expect(requests).toEqual(expected)
})

const plainHeaders = ({ headers }: WebhookRequest) => Object.fromEntries([...headers])

test('accepts what the SDK’s verifier accepts, with either kind of secret', async () => {
  for (const webhookSecret of [ACME.webhookSecret, 'polar_whs_made_before_september']) {
    const shop = await openShop([{ ...ACME, webhookSecret }])
    await shop.buy()
    await shop.emulator.drainWebhooks()
    const adapter = polarAdapter({ ...ACME, webhookSecret }, { base: null, isTest: true, fetch, now: () => new Date() })
    expect(shop.inbounds.length).toBeGreaterThan(5)
    for (const inbound of shop.inbounds) {
      await webhooks.validateEvent(inbound.rawBody, plainHeaders(inbound), webhookSecret)
      expect(await adapter.readEvent(inbound)).toMatchObject({ id: inbound.headers.get('webhook-id') })
    }
  }
})

test('names events that the SDK knows', async () => {
  for (const type of POLAR.webhook.events) {
    const body = JSON.stringify({ type })
    const { createHmac } = await import('node:crypto')
    const at = String(Math.floor(Date.now() / 1000))
    const signature = `v1,${createHmac('sha256', 'secret').update(`msg_1.${at}.${body}`).digest('base64')}`
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': at, 'webhook-signature': signature }
    expect(await webhooks.validateEvent(body, headers, 'secret')).toMatchObject({ type })
  }
})
