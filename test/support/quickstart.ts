import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledModule } from './bundled-sdk.ts'

/** The origin of the paywall in the examples. */
const ORIGIN = 'https://pay.acme.com'

/** The code blocks of the SDK's README. `find` returns the only one that contains a text, with the paywall at `origin`. */
export function quickstart(origin: string) {
  const readme = readFileSync(new URL('../../sdk/README.md', import.meta.url), 'utf8')
  const blocks = [...readme.matchAll(/^```(?:ts|html)\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  return {
    blocks,
    find(text: string): string {
      const [found, ...others] = blocks.filter((code) => code.includes(text))
      if (!found || others.length > 0) throw new Error(`not one block of the README has ${text}`)
      return found.replaceAll(ORIGIN, origin)
    },
  }
}

/** Loads a block as a module of Node, from a file in `folder`. */
export async function load<Exports>(folder: string, name: string, block: string): Promise<Exports> {
  const path = join(folder, `${name}.mjs`)
  writeFileSync(path, await bundledModule(block))
  return (await import(path)) as Exports
}
