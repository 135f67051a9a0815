import { build } from 'esbuild'

/** One Worker's code in one module, as `wrangler deploy` makes it. */
export async function bundleWorker(main: string, { minify = false } = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [main],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    define: { 'process.env.NODE_ENV': '"production"' },
    minify,
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}
