// Bundles each Worker as wrangler deploys it, prints its size, and fails if one exceeds its budget. With --times it also prints
// the import time: the median of several processes.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { readWorkerConfigs, WRANGLER_ENVIRONMENT } from '../world/workers/wrangler-config.ts'

/**
 * A Worker's code is loaded before its first request. The gateway has the smallest budget because every request passes it. `processors` has
 * the adapters of all processors, and `console` many pages, which only an owner's team opens.
 */
const BUDGET_KB: Readonly<Record<string, number>> = { gateway: 15, processors: 125, console: 130 }
const OTHER_BUDGET_KB = 110

const IMPORTS = 15

const ROOT = join(import.meta.dirname, '../..')
const IMPORT_TIME = join(import.meta.dirname, 'import-time.mjs')
const folder = mkdtempSync(join(tmpdir(), 'paywall-bundles-'))
const envs = readWorkerConfigs().map(({ env }) => env)
const run = promisify(execFile)

try {
  // Two at a time: each process keeps a core busy.
  const queue = envs.values()
  await Promise.all([bundleAll(queue), bundleAll(queue)])
  for (const env of envs) await measure(env)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

/** Writes the code that would be uploaded, without its data files. */
async function bundleAll(queue: Iterable<string>): Promise<void> {
  for (const env of queue) {
    const command = ['deploy', '--dry-run', '--env', env, '--outdir', join(folder, env)]
    await run('node_modules/.bin/wrangler', command, { cwd: ROOT, env: WRANGLER_ENVIRONMENT })
  }
}

async function measure(env: string): Promise<void> {
  const path = join(folder, env, 'worker.js')
  const kilobytes = gzipSync(readFileSync(path), { level: 9 }).length / 1024
  const budget = BUDGET_KB[env] ?? OTHER_BUDGET_KB
  const verdict = kilobytes <= budget ? '' : '  too large'
  const size = `${kilobytes.toFixed(1).padStart(8)} KB of ${String(budget).padStart(3)} KB gzipped`
  const time = process.argv.includes('--times') ? `${(await importTime(path)).toFixed(0).padStart(6)} ms to import` : ''
  console.log(`${env.padEnd(20)}${size}${time}${verdict}`)
  if (verdict) process.exitCode = 1
}

/** In milliseconds of CPU time, which other processes on the machine do not affect. */
async function importTime(path: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < IMPORTS; round++) {
    const { stdout } = await run(process.execPath, [IMPORT_TIME, path])
    times.push(Number(stdout))
  }
  return times.toSorted((one, other) => one - other)[Math.floor(IMPORTS / 2)] ?? 0
}
