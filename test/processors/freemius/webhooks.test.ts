import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { freemiusAdapter } from '../../../lib/processors/freemius/adapter.ts'
import { FREEMIUS } from '../../../lib/processors/freemius/definition.ts'
import { OTHER, PRICES, SECRET, sdkOver, startReceiver } from './emulator/fixture.ts'
import { CREDENTIALS, startAdapter } from './fixture.ts'

const NOW = new Date('2026-11-05T12:00:00Z')

/** Events are parsed without a call. */
const noCall = () => Promise.reject(new Error('there is nothing to ask'))
const getAdapter = (isTest = true) =>
  freemiusAdapter(CREDENTIALS, { base: null, fetch: noCall, now: () => NOW, isTest })

const sign = (body: string, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex')

const read = (body: string, signature: string | null = sign(body), isTest = true) =>
  getAdapter(isTest).readEvent({
    headers: new Headers(signature === null ? {} : { 'x-signature': signature }),
    rawBody: body,
    now: NOW,
  })

const LICENSE = {
  id: '31',
  created: '2026-11-01 10:00:00',
  user_id: '11',
  plan_id: '501',
  pricing_id: '601',
  expiration: '2026-12-01 10:00:00',
  is_cancelled: false,
  environment: 1,
}
const SUBSCRIPTION = {
  id: '41',
  created: '2026-11-01 10:00:00',
  license_id: '31',
  currency: 'eur',
  billing_cycle: 1,
  environment: 1,
  renewal_amount: 9.99,
  failed_payments: 2,
}
const PAYMENT = {
  id: '51',
  created: '2026-11-01 10:00:01',
  license_id: '31',
  subscription_id: '41',
  currency: 'usd',
  gross: 9.99,
  vat: 2.1,
  type: 'payment',
  bound_payment_id: null,
  environment: 1,
}

const event = (type: string, objects: object, data: unknown = {}) =>
  JSON.stringify({ id: '91', type, created: '2026-11-01 10:00:02', state: 'pending', data, objects })

const ABOUT = { kind: 'subscription', id: '31' }
const AT = new Date('2026-11-01T10:00:02Z')
const money = (kind: string, id: string, amount: number, currency = 'USD') => ({
  kind,
  id,
  amount,
  currency,
  occurredAt: AT,
})

describe('a signature', () => {
  const body = event('license.created', { license: LICENSE })
  const good = sign(body)

  test('of the product is valid, in upper and lower case, as in the SDK', async () => {
    for (const signature of [good, good.toUpperCase()]) {
      expect(await read(body, signature)).toMatchObject({ id: '91', about: ABOUT })
      expect(sdkOver(fetch).webhook.createListener().verifySignature(body, signature)).toBe(true)
    }
  })

  test.each<[string, string, string | null]>([
    ['is missing', body, null],
    ['is of another secret', body, sign(body, `${SECRET}x`)],
    ['is of another product', body, sign(body, OTHER.secretKey)],
    ['is of another body', `${body} `, good],
    ['is truncated', body, good.slice(0, 62)],
    ['is of another scheme', body, `sha256=${good}`],
    ['is in base64', body, Buffer.from(good, 'hex').toString('base64')],
    ['is empty', body, ''],
  ])('that %s is forged', async (_, text, signature) => {
    await expect(read(text, signature)).rejects.toMatchObject({ name: 'InvalidSignature' })
    expect(sdkOver(fetch).webhook.createListener().verifySignature(text, signature)).toBe(false)
  })

  test('is first checked for its format, without a secret', () => {
    const mightBeSigned = (signature: string | null) =>
      FREEMIUS.webhook.hasWellFormedSignature(new Headers(signature === null ? {} : { 'x-signature': signature }), NOW)
    expect(mightBeSigned(good)).toBe(true)
    for (const wrong of [null, '', good.slice(1), `sha256=${good}`]) expect(mightBeSigned(wrong)).toBe(false)
  })
})

test.each([
  ['is no JSON', 'no json'],
  ['is no event', '[]'],
  ['has no type', '{"id":"1","created":"2026-11-01 10:00:02"}'],
  ['has no time', '{"id":"1","type":"license.created","created":"yesterday"}'],
  ['has an invalid id', '{"id":"1 or 1","type":"x.y","created":"2026-11-01 10:00:02"}'],
  ['names no license', event('license.created', { license: {} }, 'text')],
  ['has a payment without a type', event('payment.created', { payment: { ...PAYMENT, type: null } })],
  ['has an unknown currency', event('payment.created', { payment: { ...PAYMENT, currency: 'jpy' } })],
  ['has no payment', event('payment.refund', { license: LICENSE })],
  ['has no subscription', event('subscription.renewal.failed', { license: LICENSE })],
])('a signed body that %s is malformed', async (_, body) => {
  await expect(read(body)).rejects.toMatchObject({ name: 'MalformedEvent' })
})

test.each([
  'license.created',
  'license.extended',
  'license.shortened',
  'license.updated',
  'license.plan.changed',
  'license.expired',
  'license.cancelled',
  'subscription.created',
  'subscription.cancelled',
  'subscription.canceled',
])('%s is about its license', async (type) => {
  const expected = { id: '91', about: ABOUT, payment: null, trialEnding: false }
  expect(await read(event(type, { license: LICENSE, subscription: SUBSCRIPTION, user: null }))).toEqual(expected)
})

test('a deleted license is named only in the data', async () => {
  const body = event('license.deleted', { license: false }, { license_id: '31' })
  expect(await read(body)).toMatchObject({ about: ABOUT, payment: null })
})

test('the end of a trial is reported', async () => {
  const body = event('license.trial_expiring_notice.sent', { license: LICENSE })
  expect(await read(body)).toMatchObject({ about: ABOUT, trialEnding: true })
})

test('events of payments, refunds and disputes identify the purchase, and report no payment', async () => {
  const back = { ...PAYMENT, gross: -9.99, bound_payment_id: '51' }
  const reported: [type: string, payment: object][] = [
    ['payment.created', PAYMENT],
    ['payment.created', { ...back, id: '52', type: 'refund' }],
    ['payment.created', { ...PAYMENT, type: 'of a type that is new' }],
    ['payment.refund', PAYMENT],
    ...['created', 'closed', 'lost', 'won'].map((end): [string, object] => [
      `payment.dispute.${end}`,
      { ...back, id: '53', type: 'disputed' },
    ]),
  ]
  for (const [type, payment] of reported) {
    expect(await read(event(type, { payment }))).toMatchObject({ about: ABOUT, payment: null })
  }
  const once = event('payment.created', { payment: { ...PAYMENT, subscription_id: null } })
  expect(await read(once)).toMatchObject({ about: { kind: 'payment', id: '31' } })
})

test('both events of the last failed renewal report the same payment', async () => {
  const objects = { license: LICENSE, subscription: SUBSCRIPTION }
  const id = `41:${Date.parse('2026-12-01T10:00:00Z') / 1000}:2`
  for (const type of ['subscription.renewal.failed', 'subscription.renewal.failed.last']) {
    expect(await read(event(type, objects))).toMatchObject({ about: ABOUT, payment: money('failed', id, 999, 'EUR') })
  }
})

test.each(['user.email.changed', 'cart.completed', 'install.activated', 'something.new'])(
  '%s is about no purchase',
  async (type) => {
    const expected = { id: '91', about: null, payment: null, trialEnding: false }
    expect(await read(event(type, { user: { id: '11' } }))).toEqual(expected)
  },
)

test('a sandbox event is ignored by a live paywall, and a live event by a test paywall', async () => {
  const none = { about: null, payment: null }
  const body = event('payment.created', { payment: PAYMENT })
  expect(await read(body, sign(body), false)).toMatchObject(none)
  const real = event('license.created', { license: { ...LICENSE, environment: 0 } })
  expect(await read(real)).toMatchObject(none)
  expect(await read(real, sign(real), false)).toMatchObject({ about: ABOUT })
})

test('numbers are accepted as ids, since the vendor may send them', async () => {
  const body = JSON.stringify({
    id: 91,
    type: 'license.created',
    created: '2026-11-01 10:00:02',
    objects: { license: { ...LICENSE, id: 31 } },
  })
  expect(await read(body)).toMatchObject({ id: '91', about: ABOUT })
})

test('every event of a subscription lifecycle at the emulator is parsed, and identifies the purchase', async () => {
  const receiver = await startReceiver()
  const { buy, pass, emulator, adapter, readSnapshot } = await startAdapter({ serviceUrl: receiver.url })
  const { bought, license, payment } = await buy(PRICES.trial)
  expect(payment).toBe('')
  await pass(8)
  const [first] = (await adapter.observe(license))?.payments ?? []
  await emulator.refund(first?.id ?? '', 100)
  await emulator.dispute(first?.id ?? '')
  await emulator.declineCharges(bought.customer ?? '')
  await pass(60)
  await emulator.drainWebhooks()
  const facts: string[] = []
  for (const { body } of receiver.deliveries) {
    const headers = new Headers({ 'x-signature': sign(body) })
    const { about, payment: fact } = await adapter.readEvent({ headers, rawBody: body, now: NOW })
    expect(about?.id).toBe(bought.processorId)
    if (fact) facts.push(`${fact.kind} ${fact.id}`)
  }
  const kinds = [...new Set(facts)].map((fact) => fact.split(' ')[0])
  expect(kinds).toEqual(['failed', 'failed', 'failed', 'failed'])
  expect(FREEMIUS.webhook.events).toEqual(expect.arrayContaining([...new Set(receiver.types())]))
  expect((await readSnapshot(license))?.status).toBe('canceled')
})
