import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import { CommandError } from '../command.ts'
import { OWNER_ROLE } from './roles.ts'
import type { Step } from './step.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A file of migrations/. Its name, without the extension, begins with its number. */
export interface MigrationFile {
  name: string
  text: string
}

/** The schema of the tables, and the numbered migrations to it. The first migration is the baseline. */
export interface Tables {
  schema: string
  migrations: MigrationFile[]
}

/** Reads this checkout's tables and migrations. */
export function readTables(): Tables {
  const files = readdirSync(join(ROOT, 'migrations')).filter((file) => file.endsWith('.sql'))
  return {
    schema: readFileSync(join(ROOT, 'schema.sql'), 'utf8'),
    migrations: files.toSorted().map((file) => ({
      name: basename(file, '.sql'),
      text: readFileSync(join(ROOT, 'migrations', file), 'utf8'),
    })),
  }
}

/**
 * Plans schema.sql for an empty database, or the missing migrations. Throws a `CommandError` if the database has migrations that this
 * checkout lacks.
 *
 * The Workers of the previous release keep running on the new tables, so a migration only adds. A migration of a later deploy removes
 * what is no longer used.
 */
export async function tableSteps(client: pg.Client, { schema, migrations }: Tables): Promise<Step[]> {
  const done = await migrationsDone(client)
  const unknown = done.filter((name) => !migrations.some((migration) => migration.name === name))
  if (unknown.length > 0) {
    throw new CommandError([
      `the database has migrations that this checkout lacks (${unknown.join(', ')}): migrate and deploy from a checkout that has them`,
    ])
  }
  if (done.length === 0) {
    const asOne = migrations.map(({ name }, index) => ({ name, text: index === 0 ? schema : '' }))
    return [{ what: 'create the tables of schema.sql', run: () => runMigrations(client, asOne, 'migrateToLatest') }]
  }
  const missing = migrations.filter(({ name }) => !done.includes(name))
  return missing.map(({ name }) => ({
    what: `run migration ${name}`,
    run: () => runMigrations(client, migrations, 'migrateUp'),
  }))
}

async function migrationsDone(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query("select to_regclass('public.kysely_migration') as oid")
  if (tables[0].oid === null) return []
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name')
  return rows.map(({ name }) => name)
}

/** Runs the next migration or all of them, in one transaction and as the owner role, which then owns the tables. */
async function runMigrations(
  client: pg.Client,
  files: MigrationFile[],
  how: 'migrateUp' | 'migrateToLatest',
): Promise<void> {
  await client.query(`set role ${OWNER_ROLE}`)
  const migrator = new Migrator({ db: kyselyOn(client), provider: { getMigrations: async () => asMigrations(files) } })
  const { error } = await migrator[how]()
  if (error !== undefined) throw error
  await client.query('reset role')
}

function asMigrations(files: MigrationFile[]): Record<string, Migration> {
  const up = (text: string) => async (db: Kysely<unknown>) => {
    if (!text) return
    await lockTables(db, text)
    await sql.raw(text).execute(db)
  }
  return Object.fromEntries(files.map(({ name, text }) => [name, { up: up(text) }]))
}

/**
 * Locks all tables that a migration names before it changes the first, in the order of their creation: so migrations do not deadlock,
 * and none holds a table that Workers wait for while it waits for an older one. Only existing tables of the owner role are locked. A
 * statement that names another one fails with an error of its own.
 */
async function lockTables(db: Kysely<unknown>, text: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relowner = current_user::regrole
    order by oid`.execute(db)
  const named = rows.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text))
  if (named.length === 0) return
  await sql`lock table ${sql.join(named.map(({ name }) => sql.table(name)))} in access exclusive mode`.execute(db)
}

/** Kysely on a connection that the caller closes. */
function kyselyOn(client: pg.Client): Kysely<unknown> {
  const connection = Object.assign(client, { release: () => undefined })
  const pool = { connect: async () => connection, end: async () => undefined, options: {} }
  return new Kysely({ dialect: new PostgresDialect({ pool }) })
}
