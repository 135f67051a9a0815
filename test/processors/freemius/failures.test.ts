import { expect, test } from 'vitest'
import { DroppedCall } from '../../../dev/emulators/core/calls.ts'
import { freemiusAdapter } from '../../../lib/processors/freemius/adapter.ts'
import { ACME, ADA, OTHER, PRICES } from './emulator/fixture.ts'
import { CREDENTIALS, order, startAdapter } from './fixture.ts'

type Setup = Awaited<ReturnType<typeof startAdapter>>
type Bought = Awaited<ReturnType<Setup['buy']>>

/** Every call of the adapter: the end of its path, and the method that makes it. */
const CALLS: [end: string, run: (setup: Setup, bought: Bought) => Promise<unknown>][] = [
  ['/plans/501/pricing/601.json', ({ adapter }) => adapter.openCheckout(order())],
  ['/plans/502.json', ({ adapter }) => adapter.openCheckout(order(PRICES.trial))],
  ['/licenses/ID.json', ({ adapter }, { license }) => adapter.observe(license)],
  ['/licenses/ID/subscription.json', ({ adapter }, { license }) => adapter.observe(license)],
  ['/users/USER/payments.json', ({ adapter }, { license }) => adapter.observe(license)],
  ['/users/USER.json', ({ adapter }, { license }) => adapter.observe(license)],
  ['/users.json', ({ adapter }) => adapter.observe(PAGE)],
  ['/users/USER/licenses.json', ({ adapter }) => adapter.observe(PAGE)],
  ['/licenses/ID/subscription.json', ({ adapter }, { license }) => adapter.cancelAtPeriodEnd(license.id, 'x')],
  [
    '/users/USER/payments/1/invoice.pdf',
    async ({ adapter }, { bought }) => adapter.openReceipt?.({ id: '1', customer: bought.customer }),
  ],
  ['/portal/login.json', async ({ adapter }, { bought }) => adapter.openPortal?.(bought.customer ?? '', 'https://x.y')],
]

const PAGE = {
  kind: 'page' as const,
  id: 'c',
  sale: { email: ADA, processorPrice: '501:601', interval: 'month' as const, openedAt: new Date(0), sold: [] },
}

const getPath = (end: string, { license, bought }: Bought) =>
  `/v1/products/7001${end.replace('ID', license.id).replace('USER', bought.customer ?? '')}`

const FAILURES: [status: number, kind: string, answered: boolean][] = [
  [301, 'unavailable', true],
  [400, 'rejected', true],
  [401, 'misconfigured', true],
  [402, 'rejected', true],
  [403, 'misconfigured', true],
  [409, 'unavailable', false],
  [422, 'rejected', true],
  [429, 'unavailable', true],
  [500, 'unavailable', true],
  [503, 'unavailable', true],
]

test.each(CALLS)('a failure of %s is classified by its status', async (end, run) => {
  const setup = await startAdapter()
  const bought = await setup.buy()
  for (const [status, kind, answered] of FAILURES) {
    setup.emulator.failNext(getPath(end, bought), status)
    await expect(run(setup, bought), String(status)).rejects.toMatchObject({
      name: 'RestError',
      kind,
      answered,
      status,
      message: expect.stringMatching(/^freemius: \w+ \(\d+\)$/),
    })
  }
})

test('a subscription that is missing in one read does not make a licence a one-time purchase', async () => {
  const setup = await startAdapter()
  const bought = await setup.buy()
  setup.emulator.failNext(getPath('/licenses/ID/subscription.json', bought), 404)
  await expect(setup.adapter.observe(bought.license)).rejects.toMatchObject({ kind: 'rejected' })
  expect(await setup.readSnapshot(bought.license)).toEqual(bought.bought)
})

test.each(CALLS)('without a reply to %s the outcome is unknown', async (end, run) => {
  const setup = await startAdapter()
  const bought = await setup.buy()
  const unknown = { name: 'ProcessorError', kind: 'unavailable', answered: false }
  setup.emulator.onCall = async (call, proceed) => {
    if (call.path === getPath(end, bought)) throw new DroppedCall()
    return proceed()
  }
  await expect(run(setup, bought)).rejects.toMatchObject(unknown)
  setup.emulator.onCall = undefined
  setup.emulator.failNext(getPath(end, bought), 502, '<html>')
  await expect(run(setup, bought)).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(run(setup, bought)).resolves.not.toThrow()
})

test('a call that takes too long is aborted, and its outcome is unknown', async () => {
  const timeOut = (_: unknown, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      const { signal } = init ?? {}
      expect(signal).toBeInstanceOf(AbortSignal)
      reject(new DOMException('The operation timed out.', 'TimeoutError'))
    })
  const adapter = freemiusAdapter(CREDENTIALS, { base: null, fetch: timeOut, now: () => new Date(), isTest: true })
  await expect(adapter.openCheckout(order())).rejects.toMatchObject({ kind: 'unavailable', answered: false })
})

test.each([
  ['a wrong key', { apiKey: 'api_somebody' }],
  ['a wrong product', { productId: '9999' }],
])('%s is a misconfiguration by the owner', async (_, credentials) => {
  const { adapter } = await startAdapter({ credentials })
  const wrong = { kind: 'misconfigured', answered: true, message: 'freemius: unauthorized_access (401)' }
  await expect(adapter.openCheckout(order())).rejects.toMatchObject(wrong)
  await expect(adapter.observe(PAGE)).rejects.toMatchObject(wrong)
  await expect(adapter.observe({ kind: 'subscription', id: '1' })).rejects.toMatchObject(wrong)
  await expect(adapter.cancelAtPeriodEnd('1', 'x')).rejects.toMatchObject(wrong)
  await expect(adapter.openPortal?.('1', 'https://x.y')).rejects.toMatchObject(wrong)
})

test.each<[string, ReturnType<typeof order>, string]>([
  ['an unknown plan', order({ ...PRICES.monthly, id: '999:601' }), 'no such plan and pricing'],
  ['an unknown pricing', order({ ...PRICES.monthly, id: '501:999' }), 'no such plan and pricing'],
  ['a malformed pricing id', order({ ...PRICES.monthly, id: '../../x' }), 'no such plan and pricing'],
  ['another currency', order({ ...PRICES.monthly, currency: 'EUR' }), 'in USD'],
  ['a billing cycle without a price', order({ ...PRICES.euro, interval: 'year' }), 'no annual price'],
  ['a trial that the plan does not have', order({ ...PRICES.monthly, trialDays: 7 }), 'no trial'],
  ['a buyer without an address', order(PRICES.monthly, { email: null }), 'e-mail address'],
])('%s is refused before a page is opened', async (_, given, reason) => {
  const { adapter } = await startAdapter()
  const refusal = { name: 'ProcessorError', kind: 'rejected', answered: true, message: expect.stringContaining(reason) }
  await expect(adapter.openCheckout(given)).rejects.toMatchObject(refusal)
})

test('the same order opens the same page', async () => {
  const { adapter, emulator } = await startAdapter()
  const withoutProof = (url: string) => url.replace(/&s_ctx_ts=.*/, '')
  const [first, second] = [await adapter.openCheckout(order()), await adapter.openCheckout(order())]
  expect(first.pageId).toBe(second.pageId)
  expect(withoutProof(first.url)).toBe(withoutProof(second.url))
  expect(emulator.licenses).toEqual([])
})

test('a missing purchase cannot be cancelled, nor its portal opened', async () => {
  const setup = await startAdapter()
  const { license, bought } = await setup.buy(PRICES.lifetime)
  const missing = { kind: 'rejected', status: 404 }
  await expect(setup.adapter.cancelAtPeriodEnd('404', 'x')).rejects.toMatchObject(missing)
  await expect(setup.adapter.cancelAtPeriodEnd(license.id, 'x')).rejects.toMatchObject(missing)
  await expect(setup.adapter.openPortal?.('404', 'https://x.y')).rejects.toMatchObject(missing)
  expect(await setup.readSnapshot({ kind: 'payment', id: '404' })).toBeNull()
  expect(bought.status).toBe('active')
})

test("another product's licence is not found", async () => {
  const { buy, emulator } = await startAdapter({ accounts: [ACME, OTHER] })
  const { license } = await buy()
  const { productId, publicKey, secretKey, apiKey } = OTHER
  const other = freemiusAdapter(
    { productId, publicKey, secretKey, apiKey },
    { base: emulator.url, fetch, now: () => new Date(), isTest: true },
  )
  expect(await other.observe(license)).toBeNull()
})

test("our errors do not contain Freemius' messages", async () => {
  const setup = await startAdapter()
  const body = { error: { code: `no user ${ADA}`, message: `There is no ${ADA}`, http: 400 } }
  setup.emulator.failNext('/v1/products/7001/users.json', 400, body)
  const failure = await setup.adapter.observe(PAGE).catch((error: unknown) => error)
  expect(String(failure)).toContain('freemius: (400)')
  expect(String(failure)).not.toContain(ADA)
})
