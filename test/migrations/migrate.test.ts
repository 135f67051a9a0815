import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { nameOf, readRelease } from '../../cli/migrate/release.ts'
import { databaseUrlOf, ROLES } from '../../cli/migrate/roles.ts'
import { catalogOf } from '../support/catalog.ts'
import { withOldSchema } from '../support/old-schema.ts'
import { migrated, type OwnedPostgres, startOwnedPostgres } from '../support/owned-postgres.ts'
import { until } from '../support/until.ts'

const rolesKey = randomBytes(32).toString('base64url')
/** The names of all migrations, in their order. */
const migrations = readdirSync('migrations')
  .toSorted()
  .map((file) => basename(file, '.sql'))
let server: OwnedPostgres

beforeAll(async () => {
  server = await startOwnedPostgres()
})
afterAll(() => server.postgres.stop())

/** The command as a person runs it, in a process of its own. */
function paywall(url: string, args: string[] = [], variables: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, DATABASE_URL: url, DATABASE_ROLES_KEY: rolesKey, ...variables }
  return new Promise<{ code: number | string | null; out: string; err: string }>((resolve) => {
    execFile(process.execPath, ['cli/main.ts', 'migrate', ...args], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

const tablesOf = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query("select relname from pg_class where relnamespace = 'public'::regnamespace")
    return rows.length
  })

describe('a fresh database of an owner who is no superuser', () => {
  test('is planned, then migrated as planned, and then there is nothing left to do', async () => {
    const url = await server.createDatabase('planned')
    const planned = await paywall(url, ['--plan'])
    expect(planned).toMatchObject({ code: 0, err: '' })
    expect(planned.out).toMatch(/^would make the tables of schema\.sql$/m)
    expect(await tablesOf(url)).toBe(0)

    const done = await paywall(url)
    expect(done).toMatchObject({ code: 0, err: '' })
    const steps = planned.out.split('\n').map((line) => line.replace(/^would (.*)$/, '$1: done'))
    expect(done.out.split('\n')).toEqual(steps)

    const before = await catalogOf(url)
    expect(await paywall(url, ['--plan'])).toEqual({ code: 0, out: 'Nothing to migrate.\n', err: '' })
    expect(await paywall(url)).toEqual({ code: 0, out: 'Nothing to migrate.\n', err: '' })
    expect(await catalogOf(url)).toEqual(before)
  })

  test('lets each Worker in by two keys, until the logins of the one before are removed', async () => {
    const url = await server.createDatabase('keys')
    await migrated(url, { rolesKey })
    const logIn = (key: string) => withClient(databaseUrlOf('user', url, key), async () => 'in')
    expect(await logIn(rolesKey)).toBe('in')
    const other = randomBytes(32).toString('base64url')
    expect(await migrated(url, { rolesKey: other })).toHaveLength(1)
    expect([await logIn(rolesKey), await logIn(other)]).toEqual(['in', 'in'])
    expect(await migrated(url, { rolesKey: other, removeOldLogins: true })).toHaveLength(ROLES.length)
    expect(await logIn(other)).toBe('in')
    await expect(logIn(rolesKey)).rejects.toThrow('password authentication failed')
    expect(await migrated(url, { rolesKey: other, removeOldLogins: true })).toEqual([])
    await migrated(url, { rolesKey })
    expect(await logIn(rolesKey)).toBe('in')
  })

  test('whose roles logged in themselves, as before there were logins: they do until those are removed', async () => {
    const url = await server.createDatabase('logins')
    await withClient(url, (client) =>
      client.query(`alter role paywall_user login password 'before'; comment on role paywall_user is 'before'`),
    )
    const before = new URL(url)
    ;[before.username, before.password] = ['paywall_user', 'before']
    await migrated(url, { rolesKey })
    await withClient(before.href, async () => undefined)
    await migrated(url, { rolesKey, removeOldLogins: true })
    await expect(withClient(before.href, async () => undefined)).rejects.toThrow('password authentication failed')
    const { rows } = await withClient(url, (client) =>
      client.query("select shobj_description(oid, 'pg_authid') as state from pg_roles where rolname = 'paywall_user'"),
    )
    expect(rows).toEqual([{ state: null }])
  })

  test('is migrated once by two at a time', async () => {
    const url = await server.createDatabase('twice')
    const steps = await Promise.all([migrated(url, { rolesKey }), migrated(url, { rolesKey })])
    expect(steps.filter((each) => each.length > 0)).toHaveLength(1)
  })
})

test('an owner who is no superuser installs and removes releases', async () => {
  const url = await server.createDatabase('releases')
  const names: string[] = []
  for (const marker of ['one', 'two', 'three']) {
    const files = [...readRelease().files, { path: 'marker.sql', text: `-- ${marker}` }]
    names.push(nameOf(files))
    await migrated(url, { rolesKey, release: { ...readRelease(), files, name: nameOf(files) } })
  }
  const { rows } = await withClient(url, (client) =>
    client.query("select nspname from pg_namespace where nspname like 'release%' order by 1"),
  )
  expect(rows.map(({ nspname }) => nspname)).toEqual(names.slice(1).toSorted())
})

describe('goes on where it was cut off', () => {
  const OLD = ['give the tables to paywall_owner', 'run migration 0001-rules-leave-the-tables']

  /** Whoever updates deliveries sleeps. */
  const SLOW_DELIVERIES = `create function sleep() returns trigger language plpgsql as $$
      begin perform pg_sleep(600); return null; end $$;
    create trigger slow before update on deliveries for each statement execute function sleep()`

  const END_WAITING = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`

  test('by a crash, or by a table that stays in use', async () => {
    const url = await server.createDatabase('crashed')
    await withOldSchema(url)
    await withClient(server.postgres.url('crashed'), async (reader) => {
      await reader.query('begin; select from deliveries')
      const crashed = migrated(url, { rolesKey }).catch((error: Error) => error.message)
      await until('a migration that waits, and ends', async () => {
        const { rowCount } = await withClient(server.postgres.url('crashed'), (client) => client.query(END_WAITING))
        return rowCount
      })
      expect(await crashed).toMatch(/^could not give the tables to paywall_owner: /)
      await expect(migrated(url, { rolesKey })).rejects.toThrow('a table was in use for more than 5s: try again')
    })
    expect(await migrated(url, { rolesKey })).toEqual(expect.arrayContaining(OLD))
    expect(await migrated(url, { rolesKey })).toEqual([])
  })

  test('by Ctrl-C, which leaves nothing behind that still runs', async () => {
    const url = await server.createDatabase('interrupted')
    await withOldSchema(url)
    await withClient(url, (client) => client.query(SLOW_DELIVERIES))
    const env = { PATH: process.env.PATH, DATABASE_URL: url, DATABASE_ROLES_KEY: rolesKey }
    const command = execFile(process.execPath, ['cli/main.ts', 'migrate'], { env })
    const atWork = () =>
      withClient(server.postgres.url('interrupted'), async (client) => {
        const { rowCount } = await client.query(
          "select from pg_stat_activity where datname = current_database() and query like '%next_attempt_at%' and pid <> pg_backend_pid()",
        )
        return rowCount === 1
      })
    await until('a migration at work', atWork)
    command.kill('SIGINT')
    await until('no migration at work', async () => !(await atWork()))
    await withClient(url, (client) => client.query('drop trigger slow on deliveries'))
    expect(await migrated(url, { rolesKey })).toContain('run migration 0002-first-pending-delivery')
    expect(await migrated(url, { rolesKey })).toEqual([])
  })

  test('by a migration that failed', async () => {
    const url = await server.createDatabase('failed')
    await withOldSchema(url)
    await withClient(url, (client) => client.query('alter table webhook_endpoints add column failures text'))
    await expect(migrated(url, { rolesKey })).rejects.toThrow(
      'could not run migration 0002-first-pending-delivery: column "failures" of relation "webhook_endpoints" already exists',
    )
    await withClient(url, (client) => client.query('alter table webhook_endpoints drop column failures'))
    expect(await migrated(url, { rolesKey })).toEqual([
      ...migrations.slice(1).map((name) => `run migration ${name}`),
      expect.stringMatching(/^add the processors /),
      `install ${readRelease().name}`,
    ])
  })
})

describe('is refused in one sentence', () => {
  test('a database that knows a migration which this tree does not', async () => {
    const url = await server.createDatabase('future')
    await migrated(url, { rolesKey })
    await withClient(url, (client) =>
      client.query("insert into kysely_migration values ('9999-from-the-future', '2099-01-01T00:00:00Z')"),
    )
    const sentence =
      'paywall: the database has migrations that this tree does not know (9999-from-the-future): migrate and deploy from the tree that has them\n'
    expect(await paywall(url)).toEqual({ code: 1, out: '', err: sentence })
    expect(await paywall(url, ['--plan'])).toEqual({ code: 1, out: '', err: sentence })
  })

  test.each<[string, Record<string, string>, RegExp]>([
    ['no key', { DATABASE_ROLES_KEY: '' }, /DATABASE_ROLES_KEY is not set/],
    ['a malformed key', { DATABASE_ROLES_KEY: 'abc' }, /DATABASE_ROLES_KEY must be 32 bytes in base64url/],
    ['a pooler', { DATABASE_URL: 'postgres://x:y@ep-a-pooler.eu.neon.tech/db' }, /Neon's pooler: give the address/],
    ['no database', {}, /the database cannot be reached: .*/],
  ])('%s', async (_what, variables, sentence) => {
    const { code, out, err } = await paywall('postgres://x:y@127.0.0.1:1/db', [], variables)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(new RegExp(`^paywall: .*${sentence.source}.*\n$`))
  })
})
