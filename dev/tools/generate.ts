// Writes all generated files: calls of database functions, types of tables and bindings, the Workers' roles, the gateway's routes, the
// decimals of currencies, the OpenAPI document, the guide as HTML and as Markdown, the assets of paywalls' sites and of the console, and
// the table of processors' capabilities. With --check it writes nothing and fails if a file is out of date.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readRelease } from '../../cli/migrate/release.ts'
import { preparedDatabase, startScratchPostgres } from '../world/database/scratch-postgres.ts'
import { generateBindingTypes } from '../world/workers/wrangler-config.ts'
import { capabilitiesPage } from './capabilities.ts'
import { currencyTable } from './currencies.ts'
import { databaseCalls } from './database-calls.ts'
import { databaseRoles } from './database-roles.ts'
import { guideHtml, guideMarkdown } from './guide.ts'
import { openApiDocument } from './openapi/document.ts'
import { gatewayRoutes } from './openapi/routes.ts'
import { consoleAssets, pageAssets } from './page-assets.ts'

const TABLES = 'generated/tables.ts'
const CALLS = 'generated/calls.ts'
const ROLES = 'generated/roles.json'
const BINDINGS = 'generated/bindings.d.ts'
const ROUTES = 'generated/routes.ts'
const CURRENCIES = 'generated/currencies.ts'
const DOCUMENT = 'generated/openapi.json'
const GUIDE = 'generated/guide.html'
const GUIDE_MARKDOWN = 'generated/guide.md'
const PAGE_ASSETS = 'generated/page-assets.ts'
const CONSOLE_ASSETS = 'generated/console-assets.ts'
const SDK_TYPES = 'sdk/src/generated/api.ts'
const CAPABILITIES = 'docs/processors/capabilities.md'

process.chdir(join(import.meta.dirname, '../..'))

const check = process.argv.includes('--check')
const document = openApiDocument()
const generated = {
  ...(await fromDatabase()),
  [ROLES]: databaseRoles(),
  [BINDINGS]: await generateBindingTypes(BINDINGS),
  [ROUTES]: gatewayRoutes(),
  [CURRENCIES]: currencyTable(),
  [DOCUMENT]: document,
  [GUIDE]: guideHtml(),
  [GUIDE_MARKDOWN]: guideMarkdown(),
  [PAGE_ASSETS]: pageAssets(),
  [CONSOLE_ASSETS]: consoleAssets(),
  [SDK_TYPES]: await sdkTypes(document),
  [CAPABILITIES]: capabilitiesPage(),
}

for (const [path, text] of Object.entries(generated)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (check) {
    console.error(`${path} is out of date: run npm run generate and commit it`)
    process.exitCode = 1
  } else {
    writeFileSync(path, text)
    console.log(`wrote ${path}`)
  }
}

/** Generates the SDK's types from the OpenAPI document. */
async function sdkTypes(text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'paywall-generate-'))
  try {
    writeFileSync(join(folder, 'openapi.json'), text)
    const command = 'sdk/node_modules/.bin/openapi-typescript'
    const { stdout } = await promisify(execFile)(command, [join(folder, 'openapi.json')], {
      maxBuffer: 4 * 1024 * 1024,
    })
    return stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Generates the table types and function calls from the catalog of a fresh database. */
async function fromDatabase(): Promise<Record<string, string>> {
  const postgres = await startScratchPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'paywall-generate-'))
  try {
    // Without roles: they are derived from the calls, which do not exist yet, and reading the catalog needs none.
    const url = await preparedDatabase(postgres, 'generate', '', { ...readRelease(), roles: [] })
    const path = join(folder, 'tables.ts')
    await promisify(execFile)('node_modules/.bin/kysely-codegen', [
      '--dialect=postgres',
      `--url=${url}`,
      `--out-file=${path}`,
      '--type-mapping={"interval":"string"}',
    ])
    return { [TABLES]: readFileSync(path, 'utf8'), [CALLS]: await databaseCalls(url) }
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
