import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { InvalidSignature, MalformedEvent, type WebhookRequest } from '../../../lib/processors/event.ts'
import { polarAdapter } from '../../../lib/processors/polar/adapter.ts'
import { POLAR } from '../../../lib/processors/polar/definition.ts'
import { ACME } from './emulator/fixture.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const AT = NOW.getTime() / 1000
const ORDER = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6a'
const SUBSCRIPTION = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6b'
const REFUND = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6c'

const times = { created_at: '2026-11-21T09:59:50.000001Z', modified_at: '2026-11-21T09:59:58.123456Z' }
const CHANGED = Date.parse('2026-11-21T09:59:58Z') * 1000 + 123_456

const order = {
  ...times,
  product_id: REFUND,
  id: ORDER,
  status: 'paid',
  billing_reason: 'subscription_cycle',
  subtotal_amount: 999,
  tax_amount: 190,
  discount_amount: 0,
  total_amount: 1189,
  due_amount: 1189,
  currency: 'usd',
  subscription_id: SUBSCRIPTION,
  next_payment_attempt_at: null,
  metadata: {},
  customer: { id: REFUND, external_id: null, email: null },
}
const refund = {
  id: REFUND,
  status: 'succeeded',
  amount: 500,
  tax_amount: 95,
  currency: 'usd',
  order_id: ORDER,
  subscription_id: null,
  dispute: null,
}
const dispute = { id: SUBSCRIPTION, status: 'needs_response', amount: 999, tax_amount: 190 }

const getBody = (type: string, data: unknown) =>
  JSON.stringify({ type, timestamp: '2026-11-21T09:59:58.123456Z', data })

interface SigningOptions {
  secret?: Buffer | string
  id?: string
  at?: number
}

/** A webhook as Polar signs it, over exactly these bytes. */
function signed(
  rawBody: string,
  { secret = getKey(ACME.webhookSecret), id = 'evt-1', at = AT }: SigningOptions = {},
): WebhookRequest {
  const signature = createHmac('sha256', secret).update(`${id}.${at}.${rawBody}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
  return { headers: new Headers(headers), rawBody, now: NOW }
}

const getKey = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64')

let read: (inbound: WebhookRequest) => ReturnType<ReturnType<typeof polarAdapter>['readEvent']>

beforeAll(() => {
  const send: typeof fetch = () => Promise.reject(new Error('an event needs no call'))
  const adapter = polarAdapter(ACME, { base: null, isTest: true, fetch: send, now: () => NOW })
  read = (inbound) => adapter.readEvent(inbound)
})

const subscription = { kind: 'subscription', id: SUBSCRIPTION }
const oneTime = { kind: 'payment', id: ORDER }
const paidOnce = { kind: 'succeeded', id: ORDER, paymentId: ORDER, amount: 1189, tax: 190, discount: 0 }
const paid = { ...paidOnce, paysFor: { from: '2026-11-21T09:59:50.000Z', processorPrice: REFUND, quantity: 1 } }
const disputed = { kind: 'disputed', id: SUBSCRIPTION, paymentId: ORDER, amount: 1189 }
const orderVersions = { [ORDER]: CHANGED }

test.each<[string, object | null, object | null, object | null, object?]>([
  ['order.paid', order, subscription, paid, orderVersions],
  // What is deducted from the customer's balance at Polar is not paid.
  ['order.paid', { ...order, due_amount: 0 }, subscription, null, orderVersions],
  [
    'order.paid',
    { ...order, due_amount: 689 },
    subscription,
    { ...paid, amount: 689, tax: undefined, discount: undefined },
    orderVersions,
  ],
  // A credit for a cheaper product: there is nothing to pay.
  [
    'order.created',
    { ...order, subtotal_amount: -999, total_amount: -1189, due_amount: 0 },
    subscription,
    null,
    orderVersions,
  ],
  ['order.paid', { ...order, subscription_id: null, billing_reason: 'purchase' }, oneTime, paidOnce, orderVersions],
  ['order.paid', { ...order, billing_reason: 'subscription_update' }, subscription, paidOnce, orderVersions],
  ['order.created', { ...order, status: 'pending' }, subscription, null, orderVersions],
  ['order.created', { ...order, modified_at: null }, subscription, null, { [ORDER]: CHANGED - 8_123_455 }],
  ['order.updated', order, subscription, null, orderVersions],
  [
    'order.updated',
    { ...order, status: 'pending', next_payment_attempt_at: '2026-11-23T10:00:00.654321Z' },
    subscription,
    { kind: 'failed', id: `${ORDER}:${AT + 172_800}`, paymentId: ORDER, amount: 1189 },
    orderVersions,
  ],
  // It may be an order of years ago, which a read does not show; and it changes nothing of the subscription.
  ['order.refunded', { ...order, status: 'refunded' }, subscription, null],
  ['order.refunded', { ...order, status: 'partially_refunded' }, subscription, null],
  ['order.refunded', { ...order, status: 'refunded', subscription_id: null }, oneTime, null, orderVersions],
  ['refund.created', { ...refund, status: 'pending' }, oneTime, null],
  ['refund.updated', refund, oneTime, { kind: 'refunded', id: REFUND, paymentId: ORDER, amount: 595 }],
  [
    'refund.updated',
    { ...refund, status: 'failed' },
    oneTime,
    { kind: 'refund_failed', id: REFUND, paymentId: ORDER, amount: 595 },
  ],
  ['refund.created', { ...refund, status: 'pending', dispute, subscription_id: SUBSCRIPTION }, subscription, disputed],
  // Polar's source had a status that its types do not have.
  ['refund.updated', { ...refund, status: 'pending', dispute: { ...dispute, status: 'accepted' } }, oneTime, disputed],
  // A refund that came too late to prevent it. The read shows the dispute, too.
  ...['needs_response', 'lost'].map((status): [string, object, object, object] => [
    'refund.updated',
    { ...refund, status: 'failed', dispute: { ...dispute, status } },
    oneTime,
    { kind: 'refund_failed', id: REFUND, paymentId: ORDER, amount: 595 },
  ]),
  ['refund.updated', { ...refund, status: 'canceled', dispute: { ...dispute, status: 'won' } }, oneTime, null],
  [
    'refund.created',
    { ...refund, dispute: { ...dispute, status: 'prevented' } },
    oneTime,
    { kind: 'refunded', id: REFUND, paymentId: ORDER, amount: 595 },
  ],
  ['checkout.updated', { ...times, id: ORDER, url: 'https://polar.sh/c', status: 'open' }, null, null],
  [
    'checkout.updated',
    { ...times, id: ORDER, url: 'https://polar.sh/c', status: 'succeeded' },
    { kind: 'page', id: ORDER },
    null,
    orderVersions,
  ],
  ['subscription.cycled', { ...times, id: SUBSCRIPTION }, subscription, null, { [SUBSCRIPTION]: CHANGED }],
  ['subscription.revoked', { ...times, id: SUBSCRIPTION }, subscription, null, { [SUBSCRIPTION]: CHANGED }],
  ['customer.created', { id: ORDER }, null, null],
  ['something.new', null, null, null],
])('%s', async (type, data, about, payment, versions = {}) => {
  const occurredAt = new Date('2026-11-21T09:59:58.123Z')
  expect(await read(signed(getBody(type, data)))).toEqual({
    id: 'evt-1',
    about,
    trialEnding: false,
    versions,
    payment: payment && { currency: 'USD', occurredAt, ...payment },
  })
})

describe('a forged webhook', () => {
  const body = getBody('subscription.updated', { ...times, id: SUBSCRIPTION })
  const changed = (change: (headers: Headers) => void, rawBody = body): WebhookRequest => {
    const inbound = signed(body)
    change(inbound.headers)
    return { ...inbound, rawBody }
  }
  const other = Buffer.alloc(32, 9)
  const cut = (headers: Headers) =>
    headers.set('webhook-signature', headers.get('webhook-signature')?.slice(0, 30) ?? '')
  const rename = (headers: Headers, version: string) =>
    headers.set('webhook-signature', headers.get('webhook-signature')?.replace('v1', version) ?? '')

  test.each<[string, WebhookRequest]>([
    ['without a signature', changed((headers) => headers.delete('webhook-signature'))],
    ['without an id', changed((headers) => headers.delete('webhook-id'))],
    ['without a time', changed((headers) => headers.delete('webhook-timestamp'))],
    ['of a wrong secret', signed(body, { secret: other })],
    ['of an empty secret', signed(body, { secret: '' })],
    ['whose body was changed', changed(() => {}, body.replace('updated', 'revoked'))],
    ['whose id was changed', changed((headers) => headers.set('webhook-id', 'evt-2'))],
    ['whose time was changed', changed((headers) => headers.set('webhook-timestamp', String(AT - 1)))],
    ['that is 301 seconds old', signed(body, { at: AT - 301 })],
    ['from 301 seconds ahead', signed(body, { at: AT + 301 })],
    ['whose signature was cut off', changed((headers) => cut(headers))],
    ['of another scheme', changed((headers) => rename(headers, 'v2'))],
    ['of an unknown scheme', changed((headers) => rename(headers, 'v1a'))],
    ['with a time that is no number', changed((headers) => headers.set('webhook-timestamp', `${AT}.0`))],
  ])('%s is refused', async (_, inbound) => {
    await expect(read(inbound)).rejects.toThrow(InvalidSignature)
  })
})

test('a webhook is accepted within 300 seconds, with the raw text of the secret, and with one valid signature of several', async () => {
  const body = getBody('something.new', null)
  await read(signed(body, { at: AT - 300 }))
  await read(signed(body, { at: AT + 300 }))
  await read(signed(body, { secret: ACME.webhookSecret }))
  const inbound = signed(body)
  const wrong = signed(body, { secret: 'wrong' }).headers.get('webhook-signature')
  inbound.headers.set('webhook-signature', `${wrong} v2,x ${inbound.headers.get('webhook-signature')}`)
  await read(inbound)
})

test.each([
  ['no JSON', '{"type":'],
  ['no event', '[]'],
  ['an order without an id', getBody('order.paid', { ...order, id: undefined })],
  ['an amount that is no integer', getBody('order.paid', { ...order, due_amount: 11.89 })],
  ['an id that is a path', getBody('subscription.updated', { id: '../orders' })],
  ['a refund without data', getBody('refund.created', null)],
  ['an invalid time', JSON.stringify({ type: 'order.paid', timestamp: 'now', data: order })],
])('refuses %s, although it is signed', async (_, body) => {
  await expect(read(signed(body))).rejects.toThrow(MalformedEvent)
})

test('refuses an invalid id, although it is signed', async () => {
  await expect(read(signed(getBody('order.paid', order), { id: 'evt 1' }))).rejects.toThrow(MalformedEvent)
})

test('hasWellFormedSignature rejects missing headers and an expired timestamp', () => {
  const { headers } = signed('{}')
  expect(POLAR.webhook.hasWellFormedSignature(headers, NOW)).toBe(true)
  expect(POLAR.webhook.hasWellFormedSignature(headers, new Date(NOW.getTime() + 301_000))).toBe(false)
  expect(POLAR.webhook.hasWellFormedSignature(new Headers(), NOW)).toBe(false)
})
