// Prints how large each Worker is when deployed, and fails if one is larger than it may be.
import { gzipSync } from 'node:zlib'
import { bundleWorkers } from './bundle.ts'
import { readWorkerConfigs } from './wrangler-config.ts'

/** A Worker's code is loaded before its first request is answered. The gateway stands in front of every request. */
const BUDGET_KB = { gateway: 15, other: 150 }

const bundles = await bundleWorkers(readWorkerConfigs(), { minify: true })

for (const [env, code] of bundles) {
  const kilobytes = gzipSync(code, { level: 9 }).length / 1024
  const budget = env === 'gateway' ? BUDGET_KB.gateway : BUDGET_KB.other
  const verdict = kilobytes <= budget ? '' : '  too large'
  console.log(
    `${env.padEnd(20)}${kilobytes.toFixed(1).padStart(8)} KB of ${String(budget).padStart(3)} KB gzipped${verdict}`,
  )
  if (verdict) process.exitCode = 1
}
