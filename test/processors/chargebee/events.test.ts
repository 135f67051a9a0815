import { describe, expect, test } from 'vitest'
import { chargebeeAdapter } from '../../../lib/processors/chargebee/adapter.ts'
import { CHARGEBEE } from '../../../lib/processors/chargebee/definition.ts'
import { InvalidSignature, MalformedEvent } from '../../../lib/processors/event.ts'
import { ACME, verifyEvent } from './emulator/fixture.ts'
import { CHECKOUT_ID, CREDENTIALS, ONE_TIME, startAdapter } from './selling.ts'

const now = new Date('2026-11-22T12:00:00Z')
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const RIGHT = basic(`${CREDENTIALS.webhookUser}:${CREDENTIALS.webhookPassword}`)

const event = (type: string, content: object = { subscription: { id: CHECKOUT_ID } }) =>
  JSON.stringify({ id: 'ev_1', event_type: type, occurred_at: 1_795_000_000, content })

const calls: string[] = []

/** An adapter that gets the same reply to every call; null stands for a 404. */
const getAdapter = (reply: unknown = null) =>
  chargebeeAdapter(CREDENTIALS, {
    base: null,
    isTest: true,
    now: () => now,
    fetch: async (input) => {
      calls.push(String(input))
      return reply ? Response.json(reply) : Response.json({ api_error_code: 'resource_not_found' }, { status: 404 })
    },
  })

function read(rawBody: string, authorization: string | null = RIGHT, reply: unknown = null) {
  const headers = new Headers(authorization === null ? {} : { authorization })
  return getAdapter(reply).readEvent({ headers, rawBody, now })
}

describe('a webhook is rejected as forged', () => {
  const { webhookUser: user, webhookPassword: password } = CREDENTIALS
  test.each([
    ['without a header', null],
    ['with a wrong password', basic(`${user}:wrong`)],
    ['with a wrong user', basic(`other:${password}`)],
    ["with another paywall's credentials", basic('other:other-password')],
    ['with truncated credentials', RIGHT.slice(0, -6)],
    ['with the right credentials under another scheme', RIGHT.replace('Basic', 'Bearer')],
    ['without a colon', basic(user)],
    ['with an empty password', basic(`${user}:`)],
    ['with extra characters at the end', basic(`${user}:${password}x`)],
    ['with invalid base64', 'Basic ???'],
    ['with the colon in another place', basic(`${user}${password[0]}:${password.slice(1)}`)],
  ])('%s', async (_, authorization) => {
    await expect(read(event('subscription_created'), authorization)).rejects.toBeInstanceOf(InvalidSignature)
    // The official SDK's handler refuses it, too.
    const headers = authorization === null ? {} : { authorization }
    expect(await verifyEvent(headers, event('subscription_created'), ACME)).toBeNull()
  })

  test('before its body is parsed', async () => {
    await expect(read('no json', basic('a:b'))).rejects.toBeInstanceOf(InvalidSignature)
  })
})

test('what the SDK accepts is accepted, with and without padding', async () => {
  for (const authorization of [RIGHT, RIGHT.replace(/=+$/, '')]) {
    expect(await verifyEvent({ authorization }, event('subscription_created'), ACME)).not.toBeNull()
    expect(await read(event('subscription_created'), authorization)).toMatchObject({ id: 'ev_1' })
  }
})

test('hasWellFormedSignature rejects headers that cannot be valid, without a secret', () => {
  const mightBeSigned = (authorization?: string) =>
    CHARGEBEE.webhook.hasWellFormedSignature(new Headers(authorization === undefined ? {} : { authorization }), now)
  expect([mightBeSigned(RIGHT), mightBeSigned(basic('a:b')), mightBeSigned(RIGHT.replace('Basic', 'basic'))]).toEqual([
    true,
    true,
    true,
  ])
  expect([
    mightBeSigned(),
    mightBeSigned(''),
    mightBeSigned('Bearer abcd'),
    mightBeSigned('Basic'),
    mightBeSigned('Basic a:b'),
  ]).not.toContain(true)
})

describe('a webhook is rejected as malformed', () => {
  test.each([
    ['no JSON', 'x'],
    ['a list', '[]'],
    ['no id', JSON.stringify({ event_type: 'x', occurred_at: 1 })],
    ['an id that is a path', JSON.stringify({ id: '../x', event_type: 'x', occurred_at: 1 })],
    ['no time', JSON.stringify({ id: 'ev_1', event_type: 'x' })],
    ['a time out of range', JSON.stringify({ id: 'ev_1', event_type: 'x', occurred_at: 9e15 })],
    ['no subscription', event('subscription_created', {})],
    ['no content', event('payment_succeeded', {})],
    ['a payment of ours in an unknown status', event('payment_failed', { transaction: payment({ status: 'late' }) })],
    [
      'a reversal without a payment',
      event('transaction_created', { transaction: { id: 't', type: 'payment_reversal' } }),
    ],
    ...['../customers/x', '..', 'x/../../y', 'x/.', '', 'a\u0000', 'a\ud800', 'x'.repeat(101)].map((id) => [
      `an invoice of ours whose id is ${JSON.stringify(id).slice(0, 20)}`,
      event('invoice_updated', { invoice: { id, po_number: CHECKOUT_ID } }),
    ]),
    ['a negative amount', event('payment_succeeded', { transaction: { ...payment(), amount: -1 } })],
  ])('%s', async (_, body) => {
    await expect(read(body)).rejects.toBeInstanceOf(MalformedEvent)
  })
})

function payment(more: object = {}) {
  const about = { subscription_id: CHECKOUT_ID, type: 'payment', status: 'success' }
  return { id: 'txn_1', ...about, amount: 1250, currency_code: 'KWD', ...more }
}

const invoice = (more: object = {}) => ({
  id: 'ACME/2026/1',
  customer_id: 'c',
  status: 'paid',
  currency_code: 'EUR',
  total: 4900,
  ...more,
})

test('every event that an owner subscribes to is known, and identifies the subscription', async () => {
  for (const type of CHARGEBEE.webhook.events) {
    const content = { subscription: { id: CHECKOUT_ID }, transaction: payment({ type: 'payment_reversal' }) }
    const reported = await read(event(type, { ...content, invoice: invoice({ subscription_id: CHECKOUT_ID }) }))
    expect([type, reported.about]).toEqual([type, { kind: 'subscription', id: CHECKOUT_ID }])
    expect(reported.trialEnding).toBe(type === 'subscription_trial_end_reminder')
  }
})

test('other events, and events of purchases of other systems, identify no purchase', async () => {
  const nothing = { id: 'ev_1', about: null, payment: null, trialEnding: false, versions: {} }
  expect(await read(event('customer_changed'))).toEqual(nothing)
  for (const type of ['subscription_created', 'subscription_trial_end_reminder']) {
    for (const id of ['16BHbhF4s42tO2lJ', 'ACME GmbH/Company', '../customers/x']) {
      expect(await read(event(type, { subscription: { id } }))).toEqual(nothing)
    }
  }
  const foreign = { transaction: payment({ subscription_id: '16BHbhF4s42tO2lJ' }), invoice: invoice() }
  expect(await read(event('payment_succeeded', foreign))).toEqual(nothing)
  const manual = { transaction: payment({ subscription_id: undefined }), invoice: invoice({ po_number: '4711' }) }
  expect(await read(event('payment_succeeded', manual))).toEqual(nothing)
  expect(await read(event('transaction_created', { transaction: payment() }))).toEqual(nothing)
  expect(await read(event('transaction_created', { transaction: { id: 't', type: 'gift' } }))).toEqual(nothing)
})

test('amounts are converted to the minor units of ISO 4217', async () => {
  const reported = await read(event('payment_succeeded', { transaction: payment() }))
  expect(reported.payment).toEqual({
    kind: 'succeeded',
    id: 'txn_1',
    paymentId: 'txn_1',
    amount: 12500,
    currency: 'KWD',
    occurredAt: new Date(1_795_000_000_000),
  })
  const yen = await read(event('payment_failed', { transaction: payment({ currency_code: 'JPY', status: 'failure' }) }))
  expect(yen.payment).toMatchObject({ kind: 'failed', amount: 1250, currency: 'JPY' })
  expect((await read(event('payment_succeeded', { transaction: payment({ amount: 0 }) }))).payment).toBeNull()
})

test('a refund is reported when it has succeeded; a refund for a chargeback is reported as a dispute', async () => {
  const refund = (transaction: object, more: object = {}) =>
    read(event('payment_refunded', { transaction: payment({ type: 'refund', ...transaction }), ...more }))
  expect((await refund({})).payment).toMatchObject({ kind: 'refunded' })
  expect((await refund({ status: 'in_progress' })).payment).toBeNull()
  const disputed = { kind: 'disputed', id: 'CN-1' }
  const linked_credit_notes = [{ cn_id: 'CN-1' }]
  const chargeback = { payment_method: 'chargeback' }
  expect((await refund({ ...chargeback, linked_credit_notes })).payment).toMatchObject(disputed)
  const note = { credit_note: { id: 'CN-1', reason_code: 'chargeback' } }
  expect((await refund({}, note)).payment).toMatchObject(disputed)
  expect((await refund(chargeback)).payment).toBeNull()
})

test('a payment, its refunds and its reversals have the id of the invoice as their payment id', async () => {
  const named = { id: 'INV-1' }
  const getId = async (type: string, content: object) => (await read(event(type, content))).payment?.paymentId
  const linked = { linked_invoices: [{ invoice_id: 'INV-1' }] }
  expect(await getId('payment_succeeded', { transaction: payment(), invoice: named })).toBe('INV-1')
  expect(await getId('payment_failed', { transaction: payment({ status: 'failure', ...linked }) })).toBe('INV-1')
  const refund = payment({ type: 'refund' })
  expect(await getId('payment_refunded', { transaction: refund, invoice: named })).toBe('INV-1')
  const linked_credit_notes = [{ cn_id: 'CN-1', cn_reference_invoice_id: 'INV-1' }]
  expect(await getId('payment_refunded', { transaction: { ...refund, linked_credit_notes } })).toBe('INV-1')
  const failed = { ...refund, status: 'failure', linked_credit_notes }
  expect(await getId('transaction_updated', { transaction: failed })).toBe('INV-1')
  expect(await getId('transaction_created', { transaction: payment({ type: 'payment_reversal', ...linked }) })).toBe(
    'INV-1',
  )
})

test('a failed refund and a reversed reversal are reported', async () => {
  const reported = async (transaction: object) => (await read(event('transaction_updated', { transaction }))).payment
  const refund = payment({ type: 'refund', refunded_txn_id: 'txn_0' })
  expect(await reported({ ...refund, status: 'failure' })).toMatchObject({ kind: 'refund_failed', id: 'txn_1' })
  expect(await reported(refund)).toBeNull()
  const chargeback = { ...refund, payment_method: 'chargeback', linked_credit_notes: [{ cn_id: 'CN-1' }] }
  expect(await reported({ ...chargeback, status: 'voided' })).toMatchObject({ kind: 'dispute_won', id: 'CN-1' })
  const reversal = payment({ type: 'payment_reversal', linked_payments: [{ id: 'txn_0' }] })
  expect(await reported(reversal)).toMatchObject({ kind: 'disputed', id: 'txn_0' })
  expect(await reported({ ...reversal, status: 'voided' })).toMatchObject({ kind: 'dispute_won', id: 'txn_0' })
  expect(await reported({ ...reversal, reversal_transaction_id: 'txn_2' })).toMatchObject({
    kind: 'dispute_won',
    id: 'txn_0',
  })
})

test('an event has the versions of the objects that a purchase is read from', async () => {
  const subscription = { id: CHECKOUT_ID, resource_version: 1517505643000 }
  const invoice = { id: 'INV-1', resource_version: 1517505643001 }
  const content = { subscription, invoice, customer: { id: 'c', resource_version: 1 } }
  expect(await read(event('subscription_renewed', content))).toMatchObject({
    versions: { [CHECKOUT_ID]: 1517505643000, 'INV-1': 1517505643001 },
  })
  expect((await read(event('subscription_renewed'))).versions).toEqual({})
})

test('an event has the version of a subscription invoice while its term lasts, and that of a one-time invoice always', async () => {
  const readVersions = async (more: object, end: number) => {
    const named = {
      ...invoice(more),
      resource_version: 7,
      line_items: [{ entity_type: 'x', date_to: 1_795_000_000 + end }],
    }
    return (await read(event('invoice_updated', { invoice: named }))).versions
  }
  const subscriptionInvoice = { subscription_id: CHECKOUT_ID }
  expect(await readVersions(subscriptionInvoice, 1)).toEqual({ 'ACME/2026/1': 7 })
  expect(await readVersions(subscriptionInvoice, 0)).toEqual({})
  expect(await readVersions({ po_number: CHECKOUT_ID }, 0)).toEqual({ 'ACME/2026/1': 7 })
})

test('a reversal identifies its invoice, directly or through a payment that is fetched', async () => {
  const reversal = (more: object) =>
    event('transaction_created', {
      transaction: payment({ subscription_id: undefined, type: 'payment_reversal', ...more }),
    })
  const about = { kind: 'payment', id: 'ACME/2026/1' }
  expect(await read(reversal({ linked_invoices: [{ invoice_id: about.id }] }))).toMatchObject({
    about,
    payment: { kind: 'disputed', id: 'txn_1' },
  })
  const reply = { transaction: payment({ id: 'txn_0', linked_invoices: [{ invoice_id: about.id }] }) }
  calls.length = 0
  expect(await read(reversal({ linked_payments: [{ id: 'txn_0' }] }), RIGHT, reply)).toMatchObject({ about })
  expect(calls).toEqual(['https://acme-test.chargebee.com/api/v2/transactions/txn_0'])
  expect(await read(reversal({ linked_payments: [{ id: 'txn_0' }] }))).toMatchObject({ about: null, payment: null })
  expect(await read(reversal({}))).toMatchObject({ about: null })
})

test('an invoice can be fetched by any id that its owner has given it', async () => {
  for (const [id, path] of [
    ['ACME/2026.#1', 'ACME/2026.%231'],
    ['№ 7/ü?a=b&c', '%E2%84%96%207/%C3%BC%3Fa%3Db%26c'],
    ['...', '...'],
    ['%2e%2e/x', '%252e%252e/x'],
  ] as const) {
    expect(await read(event('invoice_updated', { invoice: { id, po_number: CHECKOUT_ID } }))).toMatchObject({
      about: { kind: 'payment', id },
    })
    calls.length = 0
    await getAdapter().observe({ kind: 'payment', id })
    expect(calls).toEqual([`https://acme-test.chargebee.com/api/v2/invoices/${path}`])
    expect(new URL(calls[0] ?? '').href).toBe(calls[0])
  }
})

test('every event of a subscription lifecycle is parsed the same way when it is resent', async () => {
  const { emulator, sell, reported } = await startAdapter()
  await sell({ trialDays: 3 })
  await sell({ ...ONE_TIME, key: 'once', checkoutId: 'a7f0c0a2-2f4e-4ac0-8a50-55b8f2f6c001' })
  await emulator.renew(CHECKOUT_ID)
  await emulator.drainWebhooks()
  const first = [...reported]
  reported.length = 0
  for (const { id } of emulator.events) await emulator.resend(id)
  expect(reported.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(
    first.toSorted((one, other) => one.id.localeCompare(other.id)),
  )
})
