// Writes what is not written by hand: types, the gateway's routes, and the API's document with its page. With --check it
// writes nothing, and fails if a file is not as it would be written.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { databaseWithSchema, startScratchPostgres } from '../world/database/scratch-postgres.ts'
import { generateBindingTypes } from '../world/workers/wrangler-config.ts'
import { openApiDocument } from './openapi/document.ts'
import { documentPage } from './openapi/page/page.ts'
import { gatewayRoutes } from './openapi/routes.ts'

const TABLES = 'lib/db/generated/tables.ts'
const BINDINGS = 'generated/bindings.d.ts'
const ROUTES = 'generated/routes.ts'
const DOCUMENT = 'generated/openapi.json'
const PAGE = 'generated/docs.html'

process.chdir(join(import.meta.dirname, '../..'))

const check = process.argv.includes('--check')
const document = openApiDocument()
const generated = {
  [TABLES]: await tableTypes(),
  [BINDINGS]: await generateBindingTypes(BINDINGS),
  [ROUTES]: gatewayRoutes(),
  [DOCUMENT]: document,
  [PAGE]: documentPage(document),
}

for (const [path, text] of Object.entries(generated)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (check) {
    console.error(`${path} is not what its source says now: run npm run generate and commit it`)
    process.exitCode = 1
  } else {
    writeFileSync(path, text)
    console.log(`wrote ${path}`)
  }
}

/** Types of the tables, as a database made of schema.sql has them. */
async function tableTypes(): Promise<string> {
  const postgres = await startScratchPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'paywall-generate-'))
  try {
    const url = await databaseWithSchema(postgres, 'generate')
    const path = join(folder, 'tables.ts')
    await promisify(execFile)('node_modules/.bin/kysely-codegen', [
      '--dialect=postgres',
      `--url=${url}`,
      `--out-file=${path}`,
    ])
    return readFileSync(path, 'utf8')
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
