import pg from 'pg'
import { migrate } from '../../../cli/migrate/migrate.ts'
import type { WorkerRole } from '../../../cli/migrate/roles.ts'
import { Refusal } from '../../../cli/refusal.ts'

/** Creates the database `name` beside the one of `url`, unless it is there, and says where it is. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  })
  const database = new URL(url)
  database.pathname = `/${name}`
  return database.href
}

/** Brings a database to what this tree needs: see cli/migrate/migrate.ts. */
export async function prepareDatabase(url: string, rolesKey: string, roles?: WorkerRole[]): Promise<void> {
  await withClient(url, (client) => migrate(client, rolesKey, roles))
}

/** Runs `work` on a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
  } catch (error) {
    throw new Refusal([`the database cannot be reached: ${reasonOf(error)}`], { cause: error })
  }
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Node joins the failures of several addresses in an error that has a code but no message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}
