// Deploys every Worker, those that others call first: npm run deploy -- [--secrets FILE] [arguments for wrangler]
// FILE is JSON or dotenv; each Worker gets those of its secrets that its block of wrangler.toml requires, and no others.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import * as z from 'zod'
import { readWorkerConfigs, type WorkerConfig, WRANGLER_ENVIRONMENT } from '../world/workers/wrangler-config.ts'

const ROOT = join(import.meta.dirname, '../..')

const [option, file, ...rest] = process.argv.slice(2)
const withSecrets = option === '--secrets' && file !== undefined
const secrets = withSecrets ? readSecrets(file) : null
const wranglerArguments = withSecrets ? rest : process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'paywall-deploy-'))

try {
  for (const config of calledFirst(readWorkerConfigs())) deploy(config)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

function deploy(config: WorkerConfig): void {
  console.log(`\n${config.env}`)
  const given = secrets ? ['--secrets-file', secretsFor(config, secrets)] : []
  const command = ['deploy', '--env', config.env, ...given, ...wranglerArguments]
  const { status } = spawnSync('node_modules/.bin/wrangler', command, {
    cwd: ROOT,
    stdio: 'inherit',
    env: WRANGLER_ENVIRONMENT,
  })
  if (status !== 0) throw new Error(`${config.env} was not deployed; nothing after it was tried`)
}

function secretsFor(config: WorkerConfig, all: Record<string, string>): string {
  const missing = config.secrets.filter((name) => !all[name])
  if (missing.length > 0) throw new Error(`${file} has no ${missing.join(', ')}, which ${config.env} requires`)
  const path = join(folder, `${config.env}.json`)
  const own = Object.fromEntries(config.secrets.map((name) => [name, all[name]]))
  writeFileSync(path, JSON.stringify(own), { mode: 0o600 })
  return path
}

function readSecrets(path: string): Record<string, string> {
  const text = readFileSync(path, 'utf8')
  return z.record(z.string(), z.string()).parse(path.endsWith('.json') ? JSON.parse(text) : parseEnv(text))
}

/** A service binding can only name a Worker that exists, so a Worker comes after those it calls. */
function calledFirst(configs: WorkerConfig[]): WorkerConfig[] {
  const ordered = new Set<WorkerConfig>()
  function place(config: WorkerConfig, callers: WorkerConfig[]): void {
    if (callers.includes(config)) throw new Error(`wrangler.toml: ${config.env} calls itself through its services`)
    for (const { service: name } of config.services) {
      const called = configs.find((other) => other.name === name)
      if (called) place(called, [...callers, config])
    }
    ordered.add(config)
  }
  for (const config of configs) place(config, [])
  return [...ordered]
}
