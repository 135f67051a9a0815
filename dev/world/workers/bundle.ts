import { basename } from 'node:path'
import { build } from 'esbuild'
import { dataModulesApart } from './data-modules.ts'
import type { WorkerConfig } from './wrangler-config.ts'

/** The Workers' code by env, each in one module, for the local world; `wrangler deploy` makes its own. */
export async function bundleWorkers(configs: WorkerConfig[]): Promise<Map<string, string>> {
  // One build for all: what several Workers import is read once.
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(configs.map(({ env, main }) => [env, main])),
    outdir: 'bundles',
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    loader: { '.html': 'text' },
    plugins: [dataModulesApart],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'silent',
  })
  return new Map(outputFiles.map(({ path, text }) => [basename(path, '.js'), text]))
}
