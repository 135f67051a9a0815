import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { readTables, type Tables } from '../../cli/migrate/tables.ts'
import { readCatalog } from '../support/catalog.ts'
import { type OwnedPostgres, runMigrations, startOwnedPostgres } from '../support/owned-postgres.ts'
import { getRows, type Row } from '../support/table-rows.ts'
import { until } from '../support/until.ts'

// Migrates databases that have the baseline's tables, once there are migrations after the baseline.

const rolesKey = randomBytes(32).toString('base64url')
const tree = readTables()

/** The tables of this tree, with these migrations, by name, after its own. */
const withMigrations = (migrations: Record<string, string>): Tables => ({
  ...tree,
  migrations: [...tree.migrations, ...Object.entries(migrations).map(([name, text]) => ({ name, text }))],
})

let server: OwnedPostgres

beforeAll(async () => {
  server = await startOwnedPostgres()
})
afterAll(() => server.postgres.stop())

describe('from the baseline', () => {
  const NICKNAME = 'alter table owners add column nickname text'
  const COUNTERS = 'create table counters (owner_id uuid primary key references owners)'
  const later = withMigrations({ '9001-nickname': NICKNAME, '9002-counters': COUNTERS })

  const INSERT_ROWS = `insert into owners (email) values ('ada@example.com');
    insert into api_keys (owner_id, name, key_hash, is_test) select id, 'key', repeat('a', 64), true from owners`

  test('a database with rows gets each migration once, in order, and keeps every row', async () => {
    const url = await server.createDatabase('older')
    await runMigrations(url, { rolesKey })
    await withClient(url, (client) => client.query(INSERT_ROWS))
    const before = await getRows(url)

    expect(await runMigrations(url, { rolesKey, tables: later })).toEqual([
      'run migration 9001-nickname',
      'run migration 9002-counters',
    ])
    expect(await runMigrations(url, { rolesKey, tables: later })).toEqual([])
    const { kysely_migration: migrations = [], ...after } = await getRows(url)
    expect(migrations.map(({ name }) => name)).toEqual(later.migrations.map(({ name }) => name))
    const { kysely_migration: _migrations, ...expected } = before
    const owners = before.owners?.map((row): Row => ({ ...row, nickname: null }))
    expect(after).toEqual({ ...expected, owners, counters: [] })
  })

  test('a migrated database has the catalog of one created from schema.sql, and the latter needs no migrations', async () => {
    const [older, fresh] = [await server.createDatabase('upgraded'), await server.createDatabase('fresh')]
    await runMigrations(older, { rolesKey })
    await runMigrations(older, { rolesKey, tables: later })
    const schema = `${tree.schema};\n${NICKNAME};\n${COUNTERS}`
    const steps = await runMigrations(fresh, { rolesKey, tables: { ...later, schema } })
    expect(steps).toContain('create the tables of schema.sql')
    expect(await runMigrations(fresh, { rolesKey, tables: { ...later, schema } })).toEqual([])
    expect(await readCatalog(older)).toEqual(await readCatalog(fresh))
  })

  test('the migrations of this tree result in its schema.sql', async () => {
    const [baseline, ...others] = tree.migrations
    const [older, fresh] = [await server.createDatabase('released'), await server.createDatabase('today')]
    // As long as the baseline is the only migration, its tables are those of schema.sql.
    const schema = others.length === 0 ? tree.schema : baseline!.text
    await runMigrations(older, { rolesKey, tables: { schema, migrations: [baseline!] } })
    await runMigrations(older, { rolesKey })
    await runMigrations(fresh, { rolesKey })
    expect(await readCatalog(older)).toEqual(await readCatalog(fresh))
  })
})

describe('continues where it was interrupted', () => {
  const ADD_REMARK = 'alter table deliveries add column remark text'

  /** Makes every `create table` sleep. */
  const SLOW_TABLES = `create function sleep() returns event_trigger language plpgsql as $$ begin perform pg_sleep(600); end $$;
    create event trigger slow on ddl_command_start when tag in ('CREATE TABLE') execute function sleep()`

  const TERMINATE_WAITING = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`

  test('by a crash, or by a table that stays in use', async () => {
    const url = await server.createDatabase('crashed')
    await runMigrations(url, { rolesKey })
    const tables = withMigrations({ '9001-remark': ADD_REMARK })
    await withClient(server.postgres.url('crashed'), async (reader) => {
      await reader.query('begin; select from deliveries')
      const crashed = runMigrations(url, { rolesKey, tables }).catch((error: Error) => error.message)
      await until('a waiting migration was terminated', async () => {
        const { rowCount } = await withClient(server.postgres.url('crashed'), (client) =>
          client.query(TERMINATE_WAITING),
        )
        return rowCount
      })
      expect(await crashed).toMatch(/^could not run migration 9001-remark: /)
      await expect(runMigrations(url, { rolesKey, tables })).rejects.toThrow(
        'a table was in use for more than 5s: try again',
      )
    })
    expect(await runMigrations(url, { rolesKey, tables })).toEqual(['run migration 9001-remark'])
    expect(await runMigrations(url, { rolesKey, tables })).toEqual([])
  })

  test('by a deadlock, with an error that says to try again', async () => {
    const url = await server.createDatabase('deadlocked')
    const asSuperuser = server.postgres.url('deadlocked')
    await runMigrations(url, { rolesKey })
    const tables = withMigrations({ '9001-remark': `${ADD_REMARK}; alter table owners add column remark text` })
    const areWaiting = (number: number) => async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await withClient(asSuperuser, (client) => client.query(waiting))).rowCount === number
    }
    await withClient(asSuperuser, async (worker) => {
      // The tables are locked in a fixed order, whichever a migration names first: while it waits for the first, the second is free.
      const migrationError = await withClient(asSuperuser, async (reader) => {
        await reader.query('begin; select from owners')
        const migrating = runMigrations(url, { rolesKey, tables }).catch((error: Error) => error.message)
        await until('a migration that waits', areWaiting(1))
        // Postgres aborts the first session that checks for a deadlock: the migration, as the worker waits a minute before it checks.
        await worker.query("set deadlock_timeout = '1min'; set lock_timeout = '100ms'; begin; select from deliveries")
        await worker.query('set local lock_timeout = 0')
        const read = worker.query('select from owners')
        await until('a worker that waits behind it', areWaiting(2))
        await reader.query('rollback')
        await read
        return migrating
      })
      expect(migrationError).toBe(
        'could not run migration 9001-remark: it deadlocked with other work on the same tables and was rolled back: try again',
      )
    })
    expect(await runMigrations(url, { rolesKey, tables })).toEqual(['run migration 9001-remark'])
  })

  test('by Ctrl-C, which leaves nothing running', async () => {
    const url = await server.createDatabase('interrupted')
    const asSuperuser = server.postgres.url('interrupted')
    await withClient(asSuperuser, (client) => client.query(SLOW_TABLES))
    const env = { PATH: process.env.PATH, DATABASE_URL: url, DATABASE_ROLES_KEY: rolesKey }
    const command = execFile(process.execPath, ['cli/main.ts', 'migrate'], { env })
    const atWork = () =>
      withClient(asSuperuser, async (client) => {
        const { rowCount } = await client.query(
          `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
        )
        return rowCount === 1
      })
    await until('a migration at work', atWork)
    command.kill('SIGINT')
    await until('no migration at work', async () => !(await atWork()))
    await withClient(asSuperuser, (client) => client.query('drop event trigger slow; drop function sleep()'))
    expect(await runMigrations(url, { rolesKey })).toContain('create the tables of schema.sql')
    expect(await runMigrations(url, { rolesKey })).toEqual([])
  })

  test('by a failed migration: those before it are kept, and it is run again', async () => {
    const url = await server.createDatabase('failed')
    await runMigrations(url, { rolesKey })
    const tables = withMigrations({
      '9001-remark': ADD_REMARK,
      '9002-failures': 'alter table webhook_endpoints add column reason text',
      '9003-nickname': 'alter table owners add column nickname text',
    })
    await withClient(url, (client) =>
      client.query('set role paywall_owner; alter table webhook_endpoints add column reason text'),
    )
    await expect(runMigrations(url, { rolesKey, tables })).rejects.toThrow(
      'could not run migration 9002-failures: column "reason" of relation "webhook_endpoints" already exists',
    )
    await withClient(url, (client) =>
      client.query('set role paywall_owner; alter table webhook_endpoints drop column reason'),
    )
    expect(await runMigrations(url, { rolesKey, tables })).toEqual([
      'run migration 9002-failures',
      'run migration 9003-nickname',
    ])
  })
})
