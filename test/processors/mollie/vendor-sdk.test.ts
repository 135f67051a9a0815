import { createHmac } from 'node:crypto'
import { Client, HTTPClient, SignatureValidator } from 'mollie-api-typescript'
import { expect, test } from 'vitest'
import { mollieAdapter } from '../../../lib/processors/mollie/adapter.ts'
import { Payment } from '../../../lib/processors/mollie/objects.ts'
import type { ObservedSale } from '../../../lib/processors/mollie/translate.ts'
import type { CheckoutOrder, PlanChange } from '../../../lib/processors/processor.ts'
import { ACME } from './emulator/fixture.ts'
import { CHECKOUT, CHECKOUT_ID } from './subscription-fixture.ts'

// Compares the unmodified official SDK with the adapter, for the same calls.

const NOW = new Date('2026-11-23T10:00:00Z')
/** Mollie ignores the idempotency keys that the SDK sends with other methods, and its content type without a body. */
const comparedHeaders = (method: string, body: string) => [
  'authorization',
  'accept',
  ...(body === '' ? [] : ['content-type']),
  ...(method === 'POST' ? ['idempotency-key'] : []),
]
/** Mollie accepts no other kind of key. */
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

async function readRequest(request: Request): Promise<Sent> {
  const { method, url } = request
  const text = await request.text()
  const headers = comparedHeaders(method, text).flatMap((name) => {
    const value = request.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  return { method, url, headers: Object.fromEntries(headers), body: text === '' ? null : JSON.parse(text) }
}

const sale = { checkout_id: CHECKOUT_ID, paywall_id: '1001', user_id: 'user_1' }
const price = { currency: 'EUR', value: '9.99' }
const dearer = { currency: 'EUR', value: '19.99' }
const metadata = { ...sale, interval: 'month', interval_count: 1, trial_days: 0, renewal: price, quantity: 1 }
const common = {
  description: 'Acme Pro',
  redirectUrl: 'https://pay.example/success',
  cancelUrl: 'https://pay.example/error',
}

const PAYMENT = {
  id: 'tr_1',
  status: 'paid',
  sequenceType: 'first',
  description: 'Acme Pro',
  amount: price,
  customerId: 'cst_1',
  mandateId: 'mdt_1',
  metadata,
  createdAt: '2026-11-23T09:00:00+00:00',
  paidAt: '2026-11-23T09:01:00+00:00',
  _links: { checkout: { href: 'https://www.mollie.com/checkout/tr_1' } },
}
const SUBSCRIPTION = {
  id: 'sub_1',
  customerId: 'cst_1',
  status: 'active',
  amount: price,
  startDate: '2026-12-24',
  interval: '1 month',
  mandateId: 'mdt_1',
  metadata: { ...sale, first_payment: 'tr_1' },
  createdAt: '2026-11-23T09:02:00+00:00',
}
const list = (name: string, ...rows: object[]) => ({ count: rows.length, _embedded: { [name]: rows }, _links: {} })

/** Mollie's replies: with a subscription, or without one yet. */
const replies = (subscriptions: object[]): [RegExp, object | null][] => [
  [/^POST .*\/customers$/, { id: 'cst_1' }],
  [/^DELETE /, { ...SUBSCRIPTION, status: 'canceled' }],
  [/^PATCH .*\/payments/, { ...PAYMENT, metadata: { ...metadata, canceled_at: NOW.toISOString() } }],
  [/^PATCH .*\/subscriptions/, { ...SUBSCRIPTION, amount: dearer }],
  [/\/customers\/cst_1\/payments/, list('payments')],
  [/\/subscriptions/, list('subscriptions', ...subscriptions)],
  [/\/payments/, PAYMENT],
]

function recorder(subscriptions: object[]) {
  const sent: Promise<Sent>[] = []
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    sent.push(readRequest(request.clone()))
    const [, reply] = replies(subscriptions).find(([call]) => call.test(`${request.method} ${request.url}`)) ?? []
    return Response.json(reply, { headers: { 'content-type': 'application/hal+json' } })
  }
  return { sent: () => Promise.all(sent), answer }
}

type Ours = ReturnType<typeof mollieAdapter>
/** A call of the SDK, with the adapter's idempotency key. */
type Theirs = (mollie: Client, idempotencyKey: string) => Promise<unknown>

/** The adapter must send what the official SDK sends, call by call. */
async function compare(
  act: (adapter: Ours) => Promise<unknown>,
  calls: Theirs[],
  subscriptions: object[] = [SUBSCRIPTION],
) {
  const ours = recorder(subscriptions)
  await act(mollieAdapter(ACME, { base: null, isTest: true, fetch: ours.answer, now: () => NOW }))
  const sent = await ours.sent()
  const theirs = recorder(subscriptions)
  const httpClient = new HTTPClient({ fetcher: theirs.answer })
  const mollie = new Client({ security: { apiKey: ACME.apiKey }, retryConfig: { strategy: 'none' }, httpClient })
  // The SDK may reject such short replies, which does not matter here.
  for (const [index, call] of calls.entries())
    await call(mollie, sent[index]?.headers['idempotency-key'] ?? '').catch(() => {})
  expect(sent).toEqual(await theirs.sent())
  for (const { method, headers } of sent) {
    if (method === 'POST') expect(headers['idempotency-key']).toMatch(UUID_V4)
  }
}

const order = (more: Partial<CheckoutOrder> = {}): CheckoutOrder => ({
  ...CHECKOUT,
  successUrl: common.redirectUrl,
  errorUrl: common.cancelUrl,
  ...more,
})

const first = { ...common, sequenceType: 'first', customerId: 'cst_1' } as const

test.each([
  ['a subscription', 0, 1, price],
  ['three units', 0, 3, { currency: 'EUR', value: '29.97' }],
  ['a trial', 14, 1, { currency: 'EUR', value: '0.00' }],
])('opens the page of %s as the SDK does', (_, trialDays, quantity, amount) =>
  compare(
    (adapter) => adapter.openCheckout(order({ trialDays, quantity })),
    [
      (mollie, idempotencyKey) =>
        mollie.customers.create({
          idempotencyKey,
          entityCustomer: { email: 'ada@example.com', metadata: { user_id: 'user_1' } },
        }),
      (mollie, idempotencyKey) =>
        mollie.payments.create({
          idempotencyKey,
          paymentRequest: { ...first, amount, metadata: { ...metadata, trial_days: trialDays, quantity } },
        }),
    ],
  ),
)

test('opens the page of a one-time payment in a language as the SDK does', () =>
  compare(
    (adapter) => adapter.openCheckout(order({ recurring: null, options: { locale: 'de-DE' } })),
    [
      (mollie, idempotencyKey) =>
        mollie.payments.create({
          idempotencyKey,
          paymentRequest: { ...common, sequenceType: 'oneoff', amount: price, metadata: sale, locale: 'de_DE' },
        }),
    ],
  ))

const readPayment: Theirs = (mollie) => mollie.payments.get({ paymentId: 'tr_1', embed: 'refunds,chargebacks' })
const saleReads: Theirs[] = [
  readPayment,
  (mollie) => mollie.subscriptions.list({ customerId: 'cst_1', limit: 250 }),
  (mollie) => mollie.customers.listPayments({ customerId: 'cst_1', limit: 250 }),
]

test('reads a purchase as the SDK does', () =>
  compare((adapter) => adapter.observe({ kind: 'subscription', id: 'tr_1' }), saleReads))

test('creates the subscription of a first payment as the SDK does', () =>
  compare(
    async (adapter) => {
      const observed = (await adapter.observe({ kind: 'page', id: 'tr_1' })) as ObservedSale
      const { todo } = adapter.decide(observed, NOW)
      if (todo) await adapter.act(todo)
    },
    [
      ...saleReads.slice(0, 2),
      (mollie, idempotencyKey) =>
        mollie.subscriptions.create({
          idempotencyKey,
          customerId: 'cst_1',
          subscriptionRequest: {
            amount: price,
            interval: '1 month',
            startDate: '2026-12-24',
            description: `Acme Pro ${CHECKOUT_ID.slice(0, 8)}`,
            mandateId: 'mdt_1',
            metadata: { ...sale, first_payment: 'tr_1' },
          },
        }),
    ],
    [],
  ))

test('cancels as the SDK does', () =>
  compare(
    (adapter) => adapter.cancelAtPeriodEnd('tr_1', 'too expensive'),
    [...saleReads, (mollie) => mollie.subscriptions.cancel({ customerId: 'cst_1', subscriptionId: 'sub_1' })],
  ))

const STARTED_AT = '2026-11-23T09:01:00.000Z'

const change = (when: PlanChange['when']): PlanChange => ({
  key: 'change_1',
  subscriptionId: 'tr_1',
  to: { processorPrice: 'Acme Team', currency: 'EUR', amount: 1999, quantity: 1, interval: 'month', intervalCount: 1 },
  when,
  pricedAt: new Date(STARTED_AT),
  options: {},
})
const from = { ...price, interval: '1 month', quantity: 1 }
const to = { ...dearer, interval: '1 month', quantity: 1 }

test('charges a difference as the SDK does', () =>
  compare(
    async (adapter) => adapter.changePlan?.(change('now'), 1000),
    [
      ...saleReads,
      (mollie, idempotencyKey) =>
        mollie.payments.create({
          idempotencyKey,
          paymentRequest: {
            amount: { currency: 'EUR', value: '10.00' },
            description: 'Acme Team',
            sequenceType: 'recurring',
            redirectUrl: null,
            customerId: 'cst_1',
            mandateId: 'mdt_1',
            metadata: {
              ...sale,
              first_payment: 'tr_1',
              change: { key: 'change_1', from, to, period_start: STARTED_AT },
            },
          },
        }),
      ...saleReads,
    ],
  ))

test('changes a subscription as the SDK does', () =>
  compare(
    async (adapter) => adapter.changePlan?.(change('period_end'), 0),
    [
      ...saleReads,
      (mollie) =>
        mollie.subscriptions.update({
          customerId: 'cst_1',
          subscriptionId: 'sub_1',
          requestBody: {
            amount: dearer,
            interval: '1 month',
            description: `Acme Team ${CHECKOUT_ID.slice(0, 8)}`,
            metadata: { ...sale, first_payment: 'tr_1', scheduled: { at: '2026-12-24', from, to } },
          },
        }),
      ...saleReads,
    ],
  ))

test('returns a difference as the SDK does', () =>
  compare(
    (adapter) => adapter.act({ do: 'refund the difference', difference: Payment.parse({ ...PAYMENT, id: 'tr_2' }) }),
    [
      (mollie, idempotencyKey) =>
        mollie.refunds.create({ idempotencyKey, paymentId: 'tr_2', refundRequest: { amount: price } }),
    ],
  ))

test('stores a cancellation before there is a subscription as the SDK does', () =>
  compare(
    (adapter) => adapter.cancelAtPeriodEnd('tr_1', 'too expensive'),
    [
      ...saleReads.slice(0, 2),
      (mollie) =>
        mollie.payments.update({
          paymentId: 'tr_1',
          requestBody: { metadata: { ...metadata, canceled_at: NOW.toISOString() } },
        }),
    ],
    [],
  ))

test('accepts what the SDK’s verifier accepts', async () => {
  const adapter = mollieAdapter(ACME, { base: null, isTest: true, fetch, now: () => NOW })
  const entity = { ...PAYMENT, sequenceType: 'oneoff', metadata: sale }
  const event = {
    id: 'event_1',
    type: 'payment.paid',
    entityId: 'tr_1',
    createdAt: NOW.toISOString(),
    _embedded: { entity },
  }
  const body = JSON.stringify(event)
  const hex = (secret: string) => createHmac('sha256', secret).update(body).digest('hex')
  const verifier = new SignatureValidator(ACME.webhookSecret)
  const inbound = (signature: string) => ({
    headers: new Headers({ 'x-mollie-signature': signature }),
    rawBody: body,
    now: NOW,
  })
  for (const signature of [hex(ACME.webhookSecret), `sha256=${hex(ACME.webhookSecret)}`]) {
    expect(await verifier.validatePayload(body, signature)).toBe(true)
    expect(await adapter.readEvent(inbound(signature))).toMatchObject({
      id: 'event_1',
      about: { kind: 'page', id: 'tr_1' },
    })
  }
  const forged = `sha256=${hex('another')}`
  await expect(verifier.validatePayload(body, forged)).rejects.toThrow()
  await expect(adapter.readEvent(inbound(forged))).rejects.toThrow('invalid signature')
})
