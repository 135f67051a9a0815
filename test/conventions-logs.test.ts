import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { readWorkerConfigs } from '../dev/world/workers/wrangler-config.ts'

test("every Worker keeps query strings, which may contain e-mail addresses, out of Cloudflare's own logs", () => {
  const config = join(import.meta.dirname, '../wrangler.toml')
  const settings = readWorkerConfigs().map(({ env }) => [env, readConfig({ config, env }).observability])
  expect(settings.length).toBeGreaterThan(10)
  for (const [env, observability] of settings) {
    expect(observability, String(env)).toEqual({
      enabled: true,
      redact_query_string: true,
      logs: { enabled: true, invocation_logs: false },
    })
  }
})
