import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RUNTIME, WORKER } from '../../dev/world/workers/runtime-settings.ts'
import { readWorkerConfigs } from '../../dev/world/workers/wrangler-config.ts'
import { bundledModule } from '../support/bundled-sdk.ts'
import { newEmail, press } from '../support/checkout.ts'
import type { OwnerEnv } from '../support/owner-worker.ts'
import { reservePort } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
/** An owner's backend that runs on Workers, without Node compatibility. */
let backend: Miniflare

beforeAll(async () => {
  const port = await reservePort()
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const settings = { tokenization_queries: [{ type: 'standard' }] }
  const webhook = { url: `http://127.0.0.1:${port}/webhooks`, secret }
  world = await startTestWorld({ file: { webhooks: [webhook], paywall: { settings } } })
  const bindings: OwnerEnv = { KEY: world.key, PAYWALL: world.paywall.id, SERVICE: world.url, SECRET: secret }
  const contents = await bundledModule("export { default } from './test/support/owner-worker.ts'")
  const [ours] = readWorkerConfigs()
  const worker = {
    name: 'owner',
    ...WORKER,
    compatibilityDate: ours?.compatibilityDate ?? '',
    bindings: { ...bindings },
  }
  backend = new Miniflare(
    convertV4MiniflareOptions({
      ...RUNTIME,
      port,
      workers: [{ ...worker, modules: [{ type: 'ESModule', path: 'worker.js', contents }] }],
    }),
  )
  await backend.ready
})
afterAll(async () => {
  await backend?.dispose()
  await world.close()
})

/** Makes the backend run an action for a user. */
async function act(action: string, email = ''): Promise<unknown> {
  const response = await backend.dispatchFetch(`http://owner.example/${action}?email=${encodeURIComponent(email)}`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return JSON.parse(text)
}

test('a backend on Workers sells, reads, debits once and receives the event', async () => {
  const email = newEmail()
  const { checkoutUrl } = (await act('sell', email)) as { checkoutUrl: string }
  await press(checkoutUrl, 'pay')
  await until('the purchase', async () => ((await act('user', email)) as { paid?: boolean }).paid)
  expect(await act('user', email)).toEqual({ paid: true, tokens: 100 })
  expect([await act('debit', email), await act('debit', email)]).toMatchObject([{ count: 70 }, { count: 70 }])
  await until('the event', async () => ((await act('received')) as string[]).length === 1)
})

test('a backend on Workers opens a ticket with an image', async () => {
  expect(await act('ticket', newEmail())).toMatchObject({ ticket: { status: 'open' } })
})

test('the browser entry also works on Workers', async () => {
  expect(await act('guest')).toEqual({ acquiring: 'stripe', paid: false })
})
