import { withClient } from '../../../cli/database.ts'
import { migrate } from '../../../cli/migrate/migrate.ts'
import type { Release } from '../../../cli/migrate/release.ts'

/** Creates the database `name` on the server of `url` unless it exists. Returns its URL. */
export async function ensureDatabase(url: string, name: string): Promise<string> {
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  })
  const database = new URL(url)
  database.pathname = `/${name}`
  return database.href
}

/** Migrates a database to this tree's version: see cli/migrate/migrate.ts. */
export async function prepareDatabase(url: string, rolesKey: string, release?: Release): Promise<void> {
  await withClient(url, (client) => migrate(client, { rolesKey, ...(release && { release }) }))
}
