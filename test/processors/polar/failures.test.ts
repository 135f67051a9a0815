import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { close, listen } from '../../../dev/emulators/core/listen.ts'
import { polarAdapter } from '../../../lib/processors/polar/adapter.ts'
import { ProcessorError } from '../../../lib/processors/processor.ts'
import { ACME } from './emulator/fixture.ts'
import { getOrder, openShop } from './shop.ts'

const ID = '7b1d3a52-9a0e-4a5e-8c2b-1f2e3d4c5b6a'
type Adapter = ReturnType<typeof polarAdapter>

const CALLS: Record<string, (adapter: Adapter) => Promise<unknown> | undefined> = {
  openCheckout: (adapter) => adapter.openCheckout(getOrder()),
  cancelAtPeriodEnd: (adapter) => adapter.cancelAtPeriodEnd(ID, ''),
  openPortal: (adapter) => adapter.openPortal?.(ID, 'https://shop.example/'),
  openReceipt: (adapter) => adapter.openReceipt?.({ id: ID, customer: null }),
  'observe a page': (adapter) => adapter.observe({ kind: 'page', id: ID }),
  'observe a subscription': (adapter) => adapter.observe({ kind: 'subscription', id: ID }),
  'observe a payment': (adapter) => adapter.observe({ kind: 'payment', id: ID }),
}

const SECRET = 'ada@buyers.dev'

/** How a response is classified. */
const FAILURES: [what: string, status: number, body: unknown, kind: ProcessorError['kind']][] = [
  ['a token that is not valid', 401, { error: 'invalid_token', error_description: SECRET }, 'misconfigured'],
  ['a scope that is missing', 403, { error: 'insufficient_scope', error_description: SECRET }, 'misconfigured'],
  ['an organisation that may not sell', 403, { error: 'PaymentNotReady', detail: SECRET }, 'misconfigured'],
  ['a subscription that is not active', 403, { error: 'InactiveSubscription', detail: SECRET }, 'rejected'],
  ['a payment that is needed', 402, { error: 'PaymentFailed', detail: SECRET }, 'rejected'],
  ['a version that Polar does not have', 404, { detail: 'Not Found' }, 'unavailable'],
  ['a subscription that is locked', 409, { error: 'SubscriptionLocked', detail: SECRET }, 'unavailable'],
  ['a mistake', 422, { detail: [{ loc: ['body', 'products', 0], type: 'value_error', msg: SECRET }] }, 'rejected'],
  ['too many calls', 429, { detail: 'Rate limit exceeded' }, 'unavailable'],
  ['a fault', 500, { error: 'InternalServerError', detail: SECRET }, 'unavailable'],
]

/** Responses that are not from Polar's API: the outcome of the call is unknown. */
const FOREIGN: [what: string, status: number, body: string][] = [
  ['a fault', 500, 'Internal Server Error'],
  ['a proxy', 502, `<html>${SECRET}</html>`],
  ['a firewall', 403, `<html>${SECRET}</html>`],
  ['something else at that path', 404, '{}'],
  ['a redirect', 302, ''],
]

describe.each(Object.entries(CALLS))('%s', (_, call) => {
  test.each(FAILURES)('classifies %s (%i)', async (_, status, body, kind) => {
    const error = await readFailure(call(adapterWith(async () => Response.json(body, { status }))))
    expect(error).toMatchObject({ kind, answered: true })
    expect(error.message).toContain(`(${status})`)
    expect(`${error.message} ${error.stack}`).not.toContain(SECRET)
  })

  test.each(FOREIGN)('has an unknown outcome after %s (%i)', async (_, status, body) => {
    const error = await readFailure(call(adapterWith(async () => new Response(body, { status }))))
    expect(error).toMatchObject({ kind: 'unavailable', answered: false })
    expect(error.message).toBe(`polar: unexpected response (${status})`)
  })

  test('has an unknown outcome if the connection breaks, or is never made', async () => {
    const broken = await readFailure(call(adapterWith(() => Promise.reject(new TypeError('fetch failed')))))
    expect(broken).toMatchObject({ kind: 'unavailable', answered: false })
    const cut = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) })
    expect(await readFailure(call(adapterWith(async () => new Response(cut))))).toMatchObject({ answered: false })
  })

  test('rejects a reply of another shape', async () => {
    const error = await readFailure(call(adapterWith(async () => Response.json({ status: SECRET }))))
    expect(error).toMatchObject({ kind: 'unavailable', answered: false })
    expect(error.message).toMatch(/^polar: unexpected response: [\w. ,]+$/)
  })
})

test('a missing object is null or, for a page, undecided, and is no reason to cancel', async () => {
  const missing = { error: 'ResourceNotFound', detail: 'Not found' }
  const adapter = adapterWith(async () => Response.json(missing, { status: 404 }))
  expect(await adapter.observe({ kind: 'subscription', id: ID })).toBeNull()
  expect(await adapter.observe({ kind: 'payment', id: ID })).toBeNull()
  // The replica that was read may lag behind the page.
  const page = await adapter.observe({ kind: 'page', id: ID })
  expect(page && adapter.decide(page, new Date())).toMatchObject({ found: null, isUndecided: true })
  expect(await readFailure(adapter.cancelAtPeriodEnd(ID, ''))).toMatchObject({ kind: 'rejected', answered: true })
})

test('names the fields of the checkout that are wrong, and not their values', async () => {
  const { adapter } = await openShop()
  const price = await readFailure(adapter.openCheckout(getOrder({ processorPrice: ID })))
  expect(price).toMatchObject({ kind: 'rejected', message: 'polar: RequestValidationError body.products.0 (422)' })
  const target = await readFailure(adapter.openCheckout(getOrder({ successUrl: 'nowhere' })))
  expect(target.message).toBe('polar: RequestValidationError body.success_url (422)')
})

test('times out after eight seconds', { timeout: 12_000 }, async () => {
  const server = createServer(() => {})
  const base = await listen(server, 0)
  onTestFinished(() => close(server))
  const began = Date.now()
  const adapter = polarAdapter(ACME, { base, isTest: true, fetch, now: () => new Date() })
  const error = await readFailure(adapter.observe({ kind: 'page', id: ID }))
  expect(error).toMatchObject({ kind: 'unavailable', answered: false })
  expect(Date.now() - began).toBeLessThan(10_000)
})

const adapterWith = (send: typeof fetch) =>
  polarAdapter(ACME, { base: null, isTest: true, fetch: send, now: () => new Date() })

async function readFailure(call: Promise<unknown> | undefined): Promise<ProcessorError> {
  try {
    await call
  } catch (error) {
    if (error instanceof ProcessorError) return error
    throw error
  }
  throw new Error('nothing failed')
}
