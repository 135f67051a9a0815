import { withClient } from '../../cli/database.ts'
import { type MigrateOptions, migrate } from '../../cli/migrate/migrate.ts'
import type { Postgres } from '../../dev/world/database/postgres.ts'
import { startScratchPostgres } from '../../dev/world/database/scratch-postgres.ts'

const OWNER = 'neondb_owner'

/** A Postgres like Neon's: databases belong to a role that may create roles, but is not a superuser. */
export interface OwnedPostgres {
  postgres: Postgres
  /** Creates an empty database. Returns its URL, with its owner's login. */
  createDatabase(name: string): Promise<string>
}

export async function startOwnedPostgres(): Promise<OwnedPostgres> {
  const postgres = await startScratchPostgres()
  const asSuperuser = postgres.url('postgres')
  await withClient(asSuperuser, (client) => client.query(`create role ${OWNER} login createrole createdb password 'x'`))
  return {
    postgres,
    async createDatabase(name) {
      await withClient(asSuperuser, (client) => client.query(`create database ${name} owner ${OWNER}`))
      const url = new URL(postgres.url(name))
      url.username = OWNER
      url.password = 'x'
      return url.href
    },
  }
}

/** Migrates the database, or plans it, and returns the steps. */
export function runMigrations(url: string, options: MigrateOptions): Promise<string[]> {
  return withClient(url, async (client) => {
    const steps: string[] = []
    await migrate(client, { ...options, onStep: (what) => steps.push(what) })
    return steps
  })
}
