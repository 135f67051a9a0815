import { exec } from 'node:child_process'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { externalDataModules } from './data-modules.ts'
import type { WorkerConfig } from './wrangler-config.ts'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * Bundles each Worker into one module for the local world, and returns the modules by env; `wrangler deploy` makes its own bundles. Like
 * wrangler, it runs the Workers' build commands first.
 */
export async function bundleWorkers(configs: WorkerConfig[]): Promise<Map<string, string>> {
  const commands = configs.flatMap(({ buildCommand }) => buildCommand ?? [])
  await Promise.all(commands.map((command) => promisify(exec)(command, { cwd: ROOT })))
  // One build for all, so that shared modules are read once.
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(configs.map(({ env, main }) => [env, main])),
    outdir: 'bundles',
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    loader: { '.html': 'text', '.css': 'text', '.md': 'text' },
    plugins: [externalDataModules],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'silent',
  })
  return new Map(outputFiles.map(({ path, text }) => [basename(path, '.js'), text]))
}
