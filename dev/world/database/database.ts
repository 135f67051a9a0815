import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { Refusal } from '../../../cli/refusal.ts'

const SCHEMA = new URL('../../../schema.sql', import.meta.url)

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

/** Brings schema.sql into a database that has no tables yet: all of it or nothing. */
export async function ensureSchema(url: string): Promise<void> {
  const schema = await readFile(SCHEMA, 'utf8')
  await withClient(url, async (client) => {
    const { rowCount } = await client.query("select from pg_tables where schemaname = 'public' limit 1")
    // A text of several statements is one transaction.
    if (rowCount === 0) await client.query(schema)
  })
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
