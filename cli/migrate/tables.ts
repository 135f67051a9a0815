import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import { CommandError } from '../command.ts'
import { OWNER_ROLE } from './roles.ts'
import { inTransaction, type Step } from './step.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A migration of migrations/. Its name is that of its file, which begins with its number. */
interface MigrationFile {
  name: string
  text: string
}

/**
 * What brings the tables to schema.sql: all of it in an empty database, else the migrations that are missing. Throws a
 * `CommandError` if the database has migrations that this tree does not know.
 *
 * A database that has tables but no list of migrations was made before there were any, and begins with the first. Its
 * tables belong to whoever made them, and first become the owner role's.
 *
 * Workers of the release before go on running on the new tables, so a migration adds, and what it makes useless is removed
 * by a migration of a later deploy. Only the first migrations could not: the Workers before them have no release, and
 * answer 500 from then on until they are deployed.
 */
export async function tableSteps(client: pg.Client): Promise<Step[]> {
  const files = migrationFiles()
  const done = await migrationsDone(client)
  const unknown = done.filter((name) => !files.some((file) => file.name === name))
  if (unknown.length > 0) {
    throw new CommandError([
      `the database has migrations that this tree does not know (${unknown.join(', ')}): migrate and deploy from the tree that has them`,
    ])
  }
  if (await isEmpty(client)) {
    const asOne = files.map(({ name }, index) => ({ name, text: index === 0 ? schema() : '' }))
    return [{ what: 'make the tables of schema.sql', run: () => runMigrations(client, asOne, 'migrateToLatest') }]
  }
  const missing = files.filter(({ name }) => !done.includes(name))
  return [
    ...(done.length === 0 ? await adoptionSteps(client) : []),
    ...missing.map(({ name }) => ({
      what: `run migration ${name}`,
      run: () => runMigrations(client, files, 'migrateUp'),
    })),
  ]
}

function migrationFiles(): MigrationFile[] {
  const folder = join(ROOT, 'migrations')
  const names = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return names
    .toSorted()
    .map((file) => ({ name: basename(file, '.sql'), text: readFileSync(join(folder, file), 'utf8') }))
}

const schema = () => readFileSync(join(ROOT, 'schema.sql'), 'utf8')

async function migrationsDone(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query("select to_regclass('public.kysely_migration') as list")
  if (tables[0].list === null) return []
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name')
  return rows.map(({ name }) => name)
}

async function isEmpty(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ owners: string | null }>("select to_regclass('public.owners') as owners")
  return rows[0]?.owners === null
}

/** What stands in public and is not the owner role's, save what an extension brought. */
async function adoptionSteps(client: pg.Client): Promise<Step[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter table %s owner to %I', c.oid::regclass, $1::text) as statement from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and pg_get_userbyid(c.relowner) <> $1 and ${isOfNoExtension('c')}
     union all
     select format('alter function %s owner to %I', p.oid::regprocedure, $1::text) from pg_proc p
     where p.pronamespace = 'public'::regnamespace and pg_get_userbyid(p.proowner) <> $1 and ${isOfNoExtension('p')}`,
    [OWNER_ROLE],
  )
  if (rows.length === 0) return []
  const run = () =>
    inTransaction(client, async () => {
      for (const { statement } of rows) await client.query(statement)
    })
  return [{ what: `give the tables to ${OWNER_ROLE}`, run }]
}

const isOfNoExtension = (row: string) =>
  `not exists (select from pg_depend d where d.objid = ${row}.oid and d.deptype = 'e')`

/** Runs the next of these migrations, or all, in one transaction and as the owner role, so that what they make is its own. */
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
    if (text) await sql.raw(text).execute(db)
  }
  return Object.fromEntries(files.map(({ name, text }) => [name, { up: up(text) }]))
}

/** Kysely on a connection that stays ours. */
function kyselyOn(client: pg.Client): Kysely<unknown> {
  const connection = Object.assign(client, { release: () => undefined })
  const pool = { connect: async () => connection, end: async () => undefined, options: {} }
  return new Kysely({ dialect: new PostgresDialect({ pool }) })
}
