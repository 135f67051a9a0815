import { describe, expect, test } from 'vitest'
import { type PlanChange, ProcessorError } from '../../../lib/processors/processor.ts'
import { CHECKOUT_ID, getOrder, ONE_TIME, startAdapter } from './selling.ts'

const CHANGE: PlanChange = {
  key: 'k',
  subscriptionId: CHECKOUT_ID,
  to: { processorPrice: 'plus', currency: 'USD', amount: 1999, quantity: 1, interval: 'month', intervalCount: 1 },
  when: 'now',
  pricedAt: new Date('2026-11-22T12:00:00Z'),
  options: {},
}

type Selling = Awaited<ReturnType<typeof startAdapter>>

/** Every call of the adapter. */
const CALLS: [string, (selling: Selling) => Promise<unknown>][] = [
  ['openCheckout', ({ adapter }) => adapter.openCheckout(getOrder({ checkoutId: crypto.randomUUID(), key: 'k' }))],
  ['openCheckout once', ({ adapter }) => adapter.openCheckout(getOrder({ ...ONE_TIME, key: 'k' }))],
  ['cancelAtPeriodEnd', ({ adapter }) => adapter.cancelAtPeriodEnd(CHECKOUT_ID, 'Why')],
  ['previewPlanChange', ({ adapter }) => adapter.previewPlanChange?.(CHANGE) ?? Promise.resolve()],
  ['changePlan', ({ adapter }) => adapter.changePlan?.(CHANGE, null) ?? Promise.resolve()],
  ['openPortal', ({ adapter }) => adapter.openPortal?.('anybody', 'https://a.example/') ?? Promise.resolve()],
  ['openReceipt', ({ adapter }) => adapter.openReceipt?.({ id: 'INV-1', customer: null }) ?? Promise.resolve()],
  ['observe page', ({ adapter }) => adapter.observe({ kind: 'page', id: 'page' })],
  ['observe subscription', ({ adapter }) => adapter.observe({ kind: 'subscription', id: CHECKOUT_ID })],
  ['observe payment', ({ adapter }) => adapter.observe({ kind: 'payment', id: 'INV-1' })],
]

const answer = (status: number, body: unknown) => async () => new Response(JSON.stringify(body), { status })

const FAILURES: [string, typeof fetch, Partial<ProcessorError>][] = [
  ['401', answer(401, { api_error_code: 'api_authentication_failed' }), { kind: 'misconfigured', answered: true }],
  ['403', answer(403, { api_error_code: 'api_authorization_failed' }), { kind: 'misconfigured', answered: true }],
  ['404 site_not_found', answer(404, { api_error_code: 'site_not_found' }), { kind: 'misconfigured', answered: true }],
  ['404 of a proxy', async () => new Response('<html>', { status: 404 }), { kind: 'unavailable', answered: false }],
  ['409', answer(409, { api_error_code: 'lock_timeout' }), { kind: 'unavailable', answered: false }],
  ['422', answer(422, { api_error_code: 'param_wrong_value' }), { kind: 'rejected', answered: true }],
  ['429', answer(429, { api_error_code: 'api_request_limit_exceeded' }), { kind: 'unavailable', answered: true }],
  ['500', answer(500, { api_error_code: 'internal_error' }), { kind: 'unavailable', answered: true }],
  ['503 of a proxy', async () => new Response('busy', { status: 503 }), { kind: 'unavailable', answered: false }],
  ['302', async () => new Response(null, { status: 302, headers: { Location: '/x' } }), { kind: 'unavailable' }],
  ['no connection', () => Promise.reject(new TypeError('fetch failed')), { kind: 'unavailable', answered: false }],
  ['a timeout', () => Promise.reject(new DOMException('', 'TimeoutError')), { kind: 'unavailable', answered: false }],
]

describe.each(CALLS)('%s', (_, call) => {
  test.each(FAILURES)('%s', async (_, send, expected) => {
    const error = await call(await startAdapter({ fetch: send })).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProcessorError)
    expect(error).toMatchObject(expected)
  })
})

test('a missing object is null for a read, and rejected for a change', async () => {
  const { adapter } = await startAdapter()
  for (const kind of ['page', 'subscription', 'payment'] as const) {
    expect(await adapter.observe({ kind, id: 'nothing' })).toBeNull()
  }
  expect(await adapter.openReceipt?.({ id: 'nothing', customer: null })).toBeNull()
  await expect(adapter.cancelAtPeriodEnd('nothing', '')).rejects.toMatchObject({ kind: 'rejected', status: 404 })
  const unknown = adapter.openCheckout(getOrder({ processorPrice: 'no-such-price' }))
  await expect(unknown).rejects.toMatchObject({ kind: 'rejected', answered: true })
  const currency = adapter.openCheckout(getOrder({ ...ONE_TIME, currency: 'USD' }))
  await expect(currency).rejects.toMatchObject({ kind: 'rejected' })
})

test('an error contains neither the request nor the response, except error codes', async () => {
  const body = { message: 'ada@example.com is wrong', api_error_code: 'param_wrong_value', param: 'customer[email]' }
  const { adapter } = await startAdapter({ fetch: answer(400, body) })
  const error = await adapter.openCheckout(getOrder()).catch(String)
  expect(error).toBe('RestError: chargebee: param_wrong_value customer[email] (400)')
  const odd = await startAdapter({ fetch: answer(400, { api_error_code: 'ada@example.com', param: 'é' }) })
  expect(await odd.adapter.openCheckout(getOrder()).catch(String)).toBe('RestError: chargebee: (400)')
})

test('an unknown status is rejected as an unexpected response', async () => {
  const unknownStatus = { subscription: { id: CHECKOUT_ID, customer_id: 'c', currency_code: 'USD', status: 'frozen' } }
  const { adapter } = await startAdapter({ fetch: answer(200, unknownStatus) })
  await expect(adapter.observe({ kind: 'subscription', id: CHECKOUT_ID })).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'chargebee: unexpected response: subscription.status invalid_value',
  })
})

test('a cancellation succeeds even if the site rejects the comment', async () => {
  const { adapter, emulator, sell } = await startAdapter()
  await sell()
  emulator.failNext('/api/v2/comments', 403)
  expect(await adapter.cancelAtPeriodEnd(CHECKOUT_ID, 'Why')).toMatchObject({ cancelAt: expect.any(Date) })
})

test('the customer id of another site is never used', async () => {
  const { sell, purchase } = await startAdapter()
  await sell({ customer: 'cbc_of_another_site' })
  expect((await purchase())?.customer).not.toBe('cbc_of_another_site')
})
