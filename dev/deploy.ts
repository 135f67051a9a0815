// Deploys every Worker, those that others call first. Further arguments go to wrangler: npm run deploy -- --dry-run
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { readWorkerConfigs, type WorkerConfig, WRANGLER_ENVIRONMENT } from './wrangler-config.ts'

const ROOT = join(import.meta.dirname, '..')

for (const { env } of calledFirst(readWorkerConfigs())) {
  console.log(`\n${env}`)
  const { status } = spawnSync(
    'node_modules/.bin/wrangler',
    ['deploy', '--minify', '--env', env, ...process.argv.slice(2)],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: WRANGLER_ENVIRONMENT,
    },
  )
  if (status !== 0) {
    console.error(`${env} was not deployed; nothing after it was tried`)
    process.exit(1)
  }
}

/** A service binding can only name a Worker that exists, so a Worker comes after those it calls. */
function calledFirst(configs: WorkerConfig[]): WorkerConfig[] {
  const ordered = new Set<WorkerConfig>()
  function place(config: WorkerConfig, callers: WorkerConfig[]): void {
    if (callers.includes(config)) throw new Error(`wrangler.toml: ${config.env} calls itself through its services`)
    for (const name of config.services) {
      const called = configs.find((other) => other.name === name)
      if (called) place(called, [...callers, config])
    }
    ordered.add(config)
  }
  for (const config of configs) place(config, [])
  return [...ordered]
}
