// A process that runs the bare Workers: node bare-process.ts <database url> <Neon proxy's url>
// They are bundled and run like the local world's Workers, so that only the Workers' own work differs.

import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { bundleWorkers } from '../../dev/world/workers/bundle.ts'
import { RUNTIME, WORKER } from '../../dev/world/workers/runtime-settings.ts'
import { watchingSpawns } from '../../dev/world/workers/spawns.ts'
import { readWorkerConfigs } from '../../dev/world/workers/wrangler-config.ts'

const [databaseUrl = '', neonUrl = ''] = process.argv.slice(2)
const names = ['door', 'plain', 'cached', 'select-one']

process.on('SIGINT', () => undefined)

const [ours] = readWorkerConfigs()
if (!ours) throw new Error('wrangler.toml names no Worker')
const { compatibilityDate } = ours
const code = await bundleWorkers(
  names.map((env) => ({ ...ours, env, main: new URL(`../workers/${env}.ts`, import.meta.url).pathname })),
)
const options = convertV4MiniflareOptions({
  ...RUNTIME,
  port: 0,
  workers: names.map((name) => ({
    name,
    ...WORKER,
    compatibilityDate,
    modules: [{ type: 'ESModule' as const, path: 'worker.js', contents: code.get(name) ?? '' }],
    bindings: { DATABASE_URL: databaseUrl },
    serviceBindings: {
      ...(name === 'door' && { PLAIN: 'plain', CACHED: 'cached', SELECT_ONE: 'select-one' }),
      ...(name === 'select-one' && { NEON_PROXY: { external: { address: new URL(neonUrl).host, http: {} } } }),
    },
  })),
})
const miniflare = watchingSpawns(
  () => undefined,
  () => new Miniflare(options),
)
process.once('disconnect', () => void miniflare.dispose().finally(() => process.exit(0)))
process.send?.({ ready: (await miniflare.ready).origin })
