// Bundles each Worker as wrangler deploys it, prints how large it is, and fails if one is larger than it may be.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { readWorkerConfigs, WRANGLER_ENVIRONMENT } from '../world/workers/wrangler-config.ts'

/** A Worker's code is loaded before its first request is answered. The gateway stands in front of every request. */
const BUDGET_KB = { gateway: 15, other: 150 }

const ROOT = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'paywall-bundles-'))
const envs = readWorkerConfigs().map(({ env }) => env)

try {
  // Two at a time: each is a process that keeps a core busy.
  const queue = envs.values()
  await Promise.all([measureAll(queue), measureAll(queue)])
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

async function measureAll(queue: Iterable<string>): Promise<void> {
  for (const env of queue) {
    const kilobytes = gzipSync(await codeOf(env), { level: 9 }).length / 1024
    const budget = env === 'gateway' ? BUDGET_KB.gateway : BUDGET_KB.other
    const verdict = kilobytes <= budget ? '' : '  too large'
    console.log(
      `${env.padEnd(20)}${kilobytes.toFixed(1).padStart(8)} KB of ${String(budget).padStart(3)} KB gzipped${verdict}`,
    )
    if (verdict) process.exitCode = 1
  }
}

/** The code that would be uploaded, without the data files beside it. */
async function codeOf(env: string): Promise<Buffer> {
  const out = join(folder, env)
  const command = ['deploy', '--dry-run', '--env', env, '--outdir', out]
  await promisify(execFile)('node_modules/.bin/wrangler', command, { cwd: ROOT, env: WRANGLER_ENVIRONMENT })
  return readFileSync(join(out, 'worker.js'))
}
