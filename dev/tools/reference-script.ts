// Writes the script of the API reference into the static assets of the `docs` Worker: Redoc, which the package @redocly/cli contains.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const REDOC = join(ROOT, 'node_modules/@redocly/cli/lib/chunks/redoc.standalone.js')
const ASSETS = join(ROOT, 'functions/docs/dist')

/** Redoc loads its logo from its maker's host. The page requests nothing from other hosts, so the script gets an empty image instead. */
const LOGO = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g

const script = readFileSync(REDOC, 'utf8')
const changed = script.replaceAll(LOGO, 'data:,')
if (changed === script) throw new Error(`${REDOC} has no logo to remove: see which requests its page makes now`)
mkdirSync(ASSETS, { recursive: true })
writeFileSync(join(ASSETS, 'redoc.js'), changed)
