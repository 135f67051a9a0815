// Copies Redoc, the script of the API reference, from the package @redocly/cli to the static assets of the `docs` Worker.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const REDOC = join(ROOT, 'node_modules/@redocly/cli/lib/chunks/redoc.standalone.js')
const ASSETS = join(ROOT, 'functions/docs/dist')

/** Redoc loads its logo from its vendor's host. The page must not request anything from other hosts, so the logo becomes an empty image. */
const LOGO = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g

const script = readFileSync(REDOC, 'utf8')
const changed = script.replaceAll(LOGO, 'data:,')
if (changed === script) throw new Error(`${REDOC} has no logo to remove: check which requests the page makes now`)
mkdirSync(ASSETS, { recursive: true })
writeFileSync(join(ASSETS, 'redoc.js'), changed)
