import { join } from 'node:path'
import { build } from 'esbuild'

/** A module for browsers, with all that it imports, such as an entry of the SDK, as a site's bundler would write it. */
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
