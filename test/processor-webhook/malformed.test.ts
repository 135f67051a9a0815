import { describe, expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { getMollieSecret, mollieProcessor, postMollieWebhook } from '../support/mollie-purchase.ts'
import { postWebhook } from '../support/stripe-purchase.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

// Signed bodies that are not valid events: an error of the sender, not of ours.

const world = useTestWorld({ file: { paywalls: [{}, { processor: mollieProcessor() }] } })

/** Expects a 400, a warning in the log, and no internal error. */
async function expectMalformed(reply: Reply) {
  expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_event' } })
  const id = reply.headers['x-request-id'] ?? 'none'
  const lines = await until('both lines', async () => {
    const found = world.logs.filter(({ message }) => message.includes(id)).map(({ message }) => JSON.parse(message))
    return found.length > 1 && found
  })
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', message: 'signed event malformed' }),
    expect.objectContaining({ level: 'info', message: 'request', status: 400, refusal: 'malformed' }),
  ])
  expect((await world.database.query('select from processor_events')).rowCount).toBe(0)
}

const DISPUTE = { id: 'dp_1', amount: 1, currency: 'usd', status: null, payment_intent: null }

describe('Stripe', () => {
  const event = (fields: object) =>
    JSON.stringify({
      id: 'evt_1',
      type: 'customer.subscription.updated',
      created: 1_790_000_000,
      data: { object: { id: 'sub_1' } },
      ...fields,
    })
  const dispute = (fields: object) =>
    event({ type: 'charge.dispute.created', data: { object: { ...DISPUTE, ...fields } } })

  test.each([
    ['invalid JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['without an id', event({ id: undefined })],
    ['an id with NUL', event({ id: 'evt_\u0000' })],
    ['an id of 300 characters', event({ id: 'e'.repeat(300) })],
    ['an invalid time', event({ created: 1e15 })],
    ['without an object', event({ data: {} })],
    ['an object of another shape', event({ data: { object: [] } })],
    ['a subscription whose id is a path', event({ data: { object: { id: '../customers' } } })],
    ['a session without its fields', event({ type: 'checkout.session.completed' })],
    ['an invoice without its fields', event({ type: 'invoice.paid' })],
    ['a negative amount', dispute({ amount: -1 })],
    ['an amount that is text', dispute({ amount: '1' })],
    ['an invalid currency', dispute({ currency: 'dollars' })],
    ['a thin event', event({ object: 'v2.core.event' })],
  ])('400 invalid_event: %s', async (_what, body) => {
    await expectMalformed(await postWebhook(world, body))
  })
})

describe('Mollie', () => {
  const payment = {
    id: 'tr_1',
    status: 'paid',
    sequenceType: 'oneoff',
    description: 'x',
    amount: { currency: 'EUR', value: '1.00' },
    createdAt: '2026-11-01T09:00:00+00:00',
    _links: {},
  }
  const event = (fields: object) =>
    JSON.stringify({
      id: 'event_1',
      type: 'payment.paid',
      entityId: 'tr_1',
      createdAt: '2026-11-01T09:00:00+00:00',
      _embedded: { entity: payment },
      ...fields,
    })
  const entity = (fields: object) => event({ _embedded: { entity: { ...payment, ...fields } } })

  test.each([
    ['invalid JSON', '{'],
    ['no body', ''],
    ['null', 'null'],
    ['without a time', event({ createdAt: undefined })],
    ['an invalid time', event({ createdAt: 'yesterday' })],
    ['an id with NUL', event({ id: 'event_\u0000' })],
    ['neither a payment nor its id', event({ entityId: null, _embedded: null })],
    ['a payment that is text', event({ _embedded: { entity: 'tr_1' } })],
    ['a payment id of 300 characters', entity({ id: 't'.repeat(300) })],
    ['an unknown status', entity({ status: 'lost' })],
    ['an invalid amount', entity({ amount: { currency: 'EUR', value: 'much' } })],
    ['a refund without its object', event({ type: 'refund.refunded', _embedded: null })],
  ])('400 invalid_event: %s', async (_what, body) => {
    const [, { id: paywallId }] = world.file.paywalls as [unknown, { id: string }]
    const reply = await postMollieWebhook(world, body, { paywallId, secret: getMollieSecret(world, 1) })
    await expectMalformed(reply)
  })
})
