import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { readRelease, releaseName } from '../../cli/migrate/release.ts'
import { ROLES, roleDatabaseUrl } from '../../cli/migrate/roles.ts'
import { readCatalog } from '../support/catalog.ts'
import { type OwnedPostgres, runMigrations, startOwnedPostgres } from '../support/owned-postgres.ts'

const rolesKey = randomBytes(32).toString('base64url')
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

const getTables = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query("select relname from pg_class where relnamespace = 'public'::regnamespace")
    return rows.length
  })

describe('a fresh database of an owner who is no superuser', () => {
  test('is planned, then migrated as planned, and then there is nothing left to do', async () => {
    const url = await server.createDatabase('planned')
    const planned = await paywall(url, ['--plan'])
    expect(planned).toMatchObject({ code: 0, err: '' })
    expect(planned.out).toMatch(/^would create the tables of schema\.sql$/m)
    expect(await getTables(url)).toBe(0)

    const done = await paywall(url)
    expect(done).toMatchObject({ code: 0, err: '' })
    const steps = planned.out.split('\n').map((line) => line.replace(/^would (.*)$/, '$1: done'))
    expect(done.out.split('\n')).toEqual(steps)

    const before = await readCatalog(url)
    expect(await paywall(url, ['--plan'])).toEqual({ code: 0, out: 'Nothing to migrate.\n', err: '' })
    expect(await paywall(url)).toEqual({ code: 0, out: 'Nothing to migrate.\n', err: '' })
    expect(await readCatalog(url)).toEqual(before)
  })

  test('accepts logins by two keys, until those of the previous key are removed', async () => {
    const url = await server.createDatabase('keys')
    await runMigrations(url, { rolesKey })
    const logIn = (key: string) => withClient(roleDatabaseUrl('user', url, key), async () => 'in')
    expect(await logIn(rolesKey)).toBe('in')
    const other = randomBytes(32).toString('base64url')
    expect(await runMigrations(url, { rolesKey: other })).toHaveLength(1)
    expect([await logIn(rolesKey), await logIn(other)]).toEqual(['in', 'in'])
    expect(await runMigrations(url, { rolesKey: other, removeOldLogins: true })).toHaveLength(ROLES.length)
    expect(await logIn(other)).toBe('in')
    await expect(logIn(rolesKey)).rejects.toThrow('password authentication failed')
    expect(await runMigrations(url, { rolesKey: other, removeOldLogins: true })).toEqual([])
    await runMigrations(url, { rolesKey })
    expect(await logIn(rolesKey)).toBe('in')
  })

  test('gets the current definitions of processors', async () => {
    const url = await server.createDatabase('processors')
    await runMigrations(url, { rolesKey })
    const capabilities = () =>
      withClient(url, async (client) => (await client.query('table processors order by 1')).rows)
    const before = await capabilities()
    await withClient(url, (client) =>
      client.query("update processors set supports_uncancel = not supports_uncancel where acquiring = 'mollie'"),
    )
    expect(await runMigrations(url, { rolesKey })).toHaveLength(1)
    expect(await capabilities()).toEqual(before)
    expect(await runMigrations(url, { rolesKey })).toEqual([])
  })

  test('is migrated once by two concurrent runs', async () => {
    const url = await server.createDatabase('twice')
    const steps = await Promise.all([runMigrations(url, { rolesKey }), runMigrations(url, { rolesKey })])
    expect(steps.filter((each) => each.length > 0)).toHaveLength(1)
  })
})

test('an owner who is no superuser installs and removes releases', async () => {
  const url = await server.createDatabase('releases')
  const names: string[] = []
  for (const marker of ['one', 'two', 'three']) {
    const files = [...readRelease().files, { path: 'marker.sql', text: `-- ${marker}` }]
    names.push(releaseName(files))
    await runMigrations(url, { rolesKey, release: { ...readRelease(), files, name: releaseName(files) } })
  }
  const { rows } = await withClient(url, (client) =>
    client.query("select nspname from pg_namespace where nspname like 'release%' order by 1"),
  )
  expect(rows.map(({ nspname }) => nspname)).toEqual(names.slice(1).toSorted())
})

describe('the command rejects with one sentence:', () => {
  test('a database that knows a migration which this tree does not', async () => {
    const url = await server.createDatabase('future')
    await runMigrations(url, { rolesKey })
    await withClient(url, (client) =>
      client.query("insert into kysely_migration values ('9999-from-the-future', '2099-01-01T00:00:00Z')"),
    )
    const sentence =
      'paywall: the database has migrations that this checkout lacks (9999-from-the-future): migrate and deploy from a checkout that has them\n'
    expect(await paywall(url)).toEqual({ code: 1, out: '', err: sentence })
    expect(await paywall(url, ['--plan'])).toEqual({ code: 1, out: '', err: sentence })
  })

  test('a database with tables that no migration created', async () => {
    const url = await server.createDatabase('by_hand')
    await withClient(url, (client) => client.query('create table owners (id uuid)'))
    const { code, out, err } = await paywall(url)
    expect({ code, err }).toEqual({
      code: 1,
      err: 'paywall: could not create the tables of schema.sql: relation "owners" already exists\n',
    })
    expect(out).not.toContain('schema.sql')
  })

  test.each<[string, Record<string, string>, RegExp]>([
    ['no key', { DATABASE_ROLES_KEY: '' }, /DATABASE_ROLES_KEY is not set/],
    ['a malformed key', { DATABASE_ROLES_KEY: 'abc' }, /DATABASE_ROLES_KEY must be 32 bytes in base64url/],
    ['a pooler', { DATABASE_URL: 'postgres://x:y@ep-a-pooler.eu.neon.tech/db' }, /Neon's pooler: use the address/],
    ['no database', {}, /the database cannot be reached: .*/],
  ])('%s', async (_what, variables, sentence) => {
    const { code, out, err } = await paywall('postgres://x:y@127.0.0.1:1/db', [], variables)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(new RegExp(`^paywall: .*${sentence.source}.*\n$`))
  })
})
