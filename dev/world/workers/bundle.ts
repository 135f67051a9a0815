import { exec } from 'node:child_process'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { dataModulesApart } from './data-modules.ts'
import type { WorkerConfig } from './wrangler-config.ts'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * The Workers' code by env, each in one module, for the local world; `wrangler deploy` makes its own. As wrangler does, it first
 * runs the build command of each.
 */
export async function bundleWorkers(configs: WorkerConfig[]): Promise<Map<string, string>> {
  const commands = configs.flatMap(({ buildCommand }) => buildCommand ?? [])
  await Promise.all(commands.map((command) => promisify(exec)(command, { cwd: ROOT })))
  // One build for all: what several Workers import is read once.
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(configs.map(({ env, main }) => [env, main])),
    outdir: 'bundles',
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    loader: { '.html': 'text', '.css': 'text' },
    plugins: [dataModulesApart],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'silent',
  })
  return new Map(outputFiles.map(({ path, text }) => [basename(path, '.js'), text]))
}
