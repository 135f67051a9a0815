import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { close, listen } from '../../dev/emulators/core/listen.ts'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { RUNTIME, WORKER } from '../../dev/world/workers/runtime-settings.ts'
import { readWorkerConfigs } from '../../dev/world/workers/wrangler-config.ts'
import { seal } from '../../lib/crypto/seal.ts'
import { accountContext } from '../../lib/processors/account.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { newKey } from '../support/deployed.ts'

// An attacker runs its own code in an endpoint's Worker. It has all the bindings of that Worker: the `processors` service, and
// accounts as the database returns them.

const INTRUDER = `
const text = (value) => {
  try { return typeof value + ' ' + String(value) + ' ' + JSON.stringify(value) } catch (error) { return String(error) }
}
const tried = async (look) => {
  try { return text(await look()) } catch (error) { return String(error) + ' ' + String(error?.stack) }
}

export default {
  async fetch(request, env) {
    const { account, others, order, inbound } = await request.json()
    const learned = [text(env), ...Object.keys(env)]
    for (const sealed of [account, ...others]) {
      const rpc = env.PROCESSORS.account(sealed)
      const calls = {
        openCheckout: [order],
        closeCheckout: ['page_1'],
        cancelAtPeriodEnd: ['sub_1', 'why', {}],
        openPortal: ['cus_1', 'https://shop.example/'],
        fetchPurchase: [{ kind: 'subscription', id: 'sub_1' }],
        readReturn: ['https://pay.example/return?license_id=1&signature=00'],
        readEvent: [{ ...inbound, headers: new Headers(inbound.headers), now: new Date() }],
      }
      for (const [name, parameters] of Object.entries(calls)) learned.push(await tried(() => rpc.call(name, ...parameters)))
      for (const name of ['observe', 'act', 'decide', 'failedRefunds', 'constructor', '__proto__', 'toString']) {
        const { ok } = await rpc.call(name, { kind: 'subscription', id: 'sub_1' })
        if (ok) learned.push('OFFERED ' + name)
      }
      for (const name of ['env', 'ctx', '#env', '#methods', 'methods', 'sealed', '#sealed', '#call', 'credentials', 'constructor', '__proto__']) {
        learned.push(await tried(() => rpc[name]), await tried(() => rpc[name]()), await tried(() => env.PROCESSORS[name]))
      }
    }
    learned.push(await tried(async () => (await env.PROCESSORS.fetch('http://processors/')).text()))
    return Response.json(learned)
  },
}`

const key = newKey()
/** The `Authorization` headers that the processor received. It repeats each of them in its response. */
const authorizations: string[] = []
const logged: string[] = []
const echo = createServer((request, response) => {
  authorizations.push(request.headers.authorization ?? '')
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message: request.headers.authorization, type: 'invalid_request_error' } }))
})
let miniflare: Miniflare

beforeAll(async () => {
  const base = await listen(echo, 0)
  const bases = Object.fromEntries(PROCESSOR_NAMES.map((acquiring) => [acquiring, base]))
  const [ours] = readWorkerConfigs()
  const settings = {
    ...WORKER,
    compatibilityDate: ours?.compatibilityDate ?? '',
    compatibilityFlags: ['nodejs_als'],
  }
  const modules = (contents: string) => [{ type: 'ESModule' as const, path: 'worker.js', contents }]
  const bundle = readFileSync(join(inject('bundles'), 'processors.js'), 'utf8')
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...RUNTIME,
      port: 0,
      handleStructuredLogs: ({ message }) => void logged.push(message),
      workers: [
        { ...settings, name: 'intruder', modules: modules(INTRUDER), serviceBindings: { PROCESSORS: 'processors' } },
        {
          ...settings,
          name: 'processors',
          modules: modules(bundle),
          bindings: { PROCESSOR_CREDENTIALS_KEY: key, PROCESSOR_API_BASES: JSON.stringify(bases) },
        },
      ],
    }),
  )
})
afterAll(async () => {
  await miniflare.dispose()
  await close(echo)
})

const order = {
  key: 'k',
  checkoutId: '10964006-8267-4c06-a65d-2588c2529d3c',
  paywallId: '1001',
  userId: 'u',
  email: 'ann@example.com',
  customer: null,
  customers: {},
  processorPrice: '501:601',
  currency: 'USD',
  amount: 999,
  recurring: { interval: 'month', intervalCount: 1 },
  trialDays: 0,
  successUrl: 'https://pay.example/r/1/success',
  errorUrl: 'https://pay.example/r/1/error',
}

/** Returns everything the attacker's code could read, and the account's secrets. `others` are altered copies of the account. */
async function intrude(acquiring: ProcessorName): Promise<{ learned: string; secrets: string[] }> {
  const account = { paywallId: '1001', acquiring, isTest: true }
  const credentials = EMULATORS[acquiring].demoCredentials()
  const sealed = { ...account, credentials: await seal(JSON.stringify(credentials), key, accountContext(account)) }
  const atOtherProcessors = PROCESSOR_NAMES.filter((other) => other !== acquiring).map((other) => ({
    ...sealed,
    acquiring: other,
  }))
  const others = [...atOtherProcessors, { ...sealed, paywallId: '1002' }, { ...sealed, isTest: false }]
  const inbound = { headers: { authorization: 'Basic YTpi' }, rawBody: '{}' }
  const body = JSON.stringify({ account: sealed, others, order, inbound })
  const response = await miniflare.dispatchFetch('http://intruder/', { method: 'POST', body })
  const publicFields = ['site', 'productId', 'publicKey', 'webhookUser']
  const secrets = Object.entries(credentials).flatMap(([name, value]) =>
    publicFields.includes(name) ? [] : [String(value)],
  )
  return { learned: JSON.stringify(await response.json()), secrets }
}

describe.each(PROCESSOR_NAMES)('an attacker in an endpoint’s Worker, with an account at %s', (acquiring) => {
  test('can make the calls of an adapter, but finds no secret in any response or log', async () => {
    authorizations.length = 0
    const { learned, secrets } = await intrude(acquiring)
    // The credentials were decrypted: the processor was called with them.
    expect(authorizations.length).toBeGreaterThan(0)
    expect(learned).toMatch(/rejected|unavailable/)
    expect(learned, 'methods that are not offered').not.toContain('OFFERED')
    for (const secret of [...secrets, ...authorizations, key]) expect(learned + logged.join()).not.toContain(secret)
  })

  test('cannot decrypt the credentials for another processor or paywall', async () => {
    const { learned } = await intrude(acquiring)
    // Each of the seven calls fails for every other processor and for the other paywall.
    expect(learned.split('the credentials cannot be decrypted').length - 1).toBe(7 * PROCESSOR_NAMES.length)
  })
})
