import { join } from 'node:path'
import { build } from 'esbuild'

/** Bundles a browser module (such as an entry point of the SDK) with all its imports, as a site's bundler does. */
export async function bundledModule(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: join(import.meta.dirname, '../..'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    target: 'es2022',
    write: false,
  })
  return outputFiles[0]!.text
}
