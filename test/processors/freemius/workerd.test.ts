import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { RUNTIME, WORKER as WORKER_SETTINGS } from '../../../dev/world/workers/runtime-settings.ts'
import { readWorkerConfigs } from '../../../dev/world/workers/wrangler-config.ts'
import { sdkOver } from './emulator/fixture.ts'
import { CREDENTIALS, order } from './fixture.ts'

const AT = 1_795_361_456

/** A Worker that opens a checkout at a stub of Freemius with one pricing. */
const WORKER = `
import { freemiusAdapter } from './lib/processors/freemius/adapter.ts'

export default {
  async fetch(request) {
    const { credentials, order } = await request.json()
    const send = async () => Response.json({ currency: 'usd', monthly_price: 9.99 })
    const options = { base: null, fetch: send, now: () => new Date(${AT} * 1000), isTest: true }
    return Response.json(await freemiusAdapter(credentials, options).openCheckout(order))
  },
}`

test('the sandbox token is the same in workerd, without a flag for Node', async () => {
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    format: 'esm',
    target: 'es2024',
    write: false,
    conditions: ['workerd', 'worker', 'browser'],
  })
  const [ours] = readWorkerConfigs()
  const contents = outputFiles[0]?.text ?? ''
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...RUNTIME,
      port: 0,
      workers: [
        {
          name: 'freemius',
          ...WORKER_SETTINGS,
          compatibilityDate: ours?.compatibilityDate ?? '',
          modules: [{ type: 'ESModule', path: 'worker.js', contents }],
        },
      ],
    }),
  )
  onTestFinished(() => miniflare.dispose())
  const body = JSON.stringify({ credentials: CREDENTIALS, order: order() })
  const answer = await miniflare.dispatchFetch('http://worker', { method: 'POST', body })
  const { url } = (await answer.json()) as { url: string }
  const { searchParams } = new URL(url)

  const originalNow = Date.now
  Date.now = () => AT * 1000
  const theirs = sdkOver(fetch).checkout.getSandboxParams()
  Date.now = originalNow
  const { ctx, token } = await theirs
  expect({ ctx: searchParams.get('s_ctx_ts'), token: searchParams.get('sandbox') }).toEqual({ ctx, token })
})
