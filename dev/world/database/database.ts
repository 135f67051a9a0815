import { withClient } from '../../../cli/database.ts'
import { migrate } from '../../../cli/migrate/migrate.ts'
import type { Release } from '../../../cli/migrate/release.ts'

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
export async function prepareDatabase(url: string, rolesKey: string, release?: Release): Promise<void> {
  await withClient(url, (client) => migrate(client, { rolesKey, ...(release && { release }) }))
}
