import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { readRelease } from '../../cli/migrate/release.ts'
import { ROLES, roleDatabaseUrl } from '../../cli/migrate/roles.ts'
import { prepareDatabase } from '../../dev/world/database/database.ts'
import { freshDatabase } from '../support/databases.ts'

const PERMISSION_DENIED = '42501'
const rolesKey = inject('databaseRolesKey')
const { name: release } = readRelease()

interface DatabaseFunction {
  name: string
  /** A call with nulls that the planner cannot evaluate in advance. */
  call: string
}

let url: string
let tables: { name: string; column: string }[]
let functions: DatabaseFunction[]

beforeAll(async () => {
  url = await freshDatabase()
  await prepareDatabase(url, rolesKey) // privileges on a database are not copied with it
  await withClient(url, async (client) => {
    tables = (await client.query(TABLES)).rows
    functions = (await client.query(FUNCTIONS, [release])).rows
  })
})

const TABLES = `select c.relname as name, min(a.attname) as column from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm') and a.attnum > 0
  group by c.relname order by 1`
const FUNCTIONS = `select p.proname as name, format('%s.%I(%s)', $1::text, p.proname, (
    select coalesce(string_agg(format('(select null::%s)', format_type(type, null)), ', ' order by place), '')
    from unnest(p.proargtypes) with ordinality t (type, place))) as call
  from pg_proc p where p.pronamespace = to_regnamespace($1) order by 1`

/** Runs each statement in its own transaction, rolls it back, and returns the error codes by statement; null: it succeeded. */
async function tryStatements(client: pg.Client, statements: string[]): Promise<Record<string, string | null>> {
  const codes: Record<string, string | null> = {}
  for (const statement of statements) {
    try {
      await client.query(`begin; ${statement}`)
      codes[statement] = null
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      codes[statement] = error.code ?? ''
    }
    await client.query('rollback')
  }
  return codes
}

const allDenied = (statements: string[]) => Object.fromEntries(statements.map((each) => [each, PERMISSION_DENIED]))

test('the database has the tables and functions under test', () => {
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['users', 'balances', 'releases', 'kysely_migration']),
  )
  expect(functions.length).toBeGreaterThan(ROLES.flatMap((role) => role.functions).length / 2)
  expect(functions.map(({ name }) => name)).toEqual(expect.arrayContaining(ROLES.flatMap((role) => role.functions)))
})

describe.each(ROLES)('$role', ({ env, role, functions: own }) => {
  let client: pg.Client

  beforeAll(async () => {
    client = new pg.Client({ connectionString: roleDatabaseUrl(env, url, rolesKey) })
    await client.connect()
  })
  afterAll(() => client.end())

  test('cannot read or write any table', async () => {
    const statements = tables.flatMap(({ name, column }) => [
      `select from public.${name}`,
      `select ${column} from public.${name}`,
      `insert into public.${name} default values`,
      `update public.${name} set ${column} = ${column}`,
      `delete from public.${name}`,
      `truncate public.${name}`,
      `lock table public.${name} in access share mode`,
    ])
    const sequences = ['ledger', 'tickets'].flatMap((table) => [
      `select nextval('public.${table}_id_seq')`,
      `select setval('public.${table}_id_seq', 1)`,
      `select last_value from public.${table}_id_seq`,
    ])
    const all = [...statements, ...sequences]
    expect(await tryStatements(client, all)).toEqual(allDenied(all))
  })

  test("can execute its own functions, but no other Worker's and no internal ones", async () => {
    const [mine, others] = [true, false].map((isOwn) =>
      functions.filter(({ name }) => own.includes(name) === isOwn).map(({ call }) => `select ${call}`),
    )
    expect(await tryStatements(client, others!)).toEqual(allDenied(others!))
    // Nulls may fail for other reasons: only the permission matters here.
    const codes = await tryStatements(client, mine!)
    expect(Object.keys(codes)).toHaveLength(own.length)
    expect(Object.values(codes)).not.toContain(PERMISSION_DENIED)
  })

  test('cannot create anything, assume another role, or read passwords or files', async () => {
    const statements = [
      'create schema mine',
      'create table public.mine (n int)',
      'create table mine (n int)',
      'create temporary table users (n int)',
      `create table ${release}.mine (n int)`,
      'create function public.mine() returns int language sql return 1',
      `create or replace function ${release}.verdict(text) returns jsonb language sql return null`,
      'create extension pgcrypto',
      'create role mine',
      'create database mine',
      'set role paywall_owner',
      'set session authorization paywall_owner',
      ...ROLES.map((each) => `set role ${each.role}`),
      'select * from pg_authid',
      'select * from pg_shadow',
      'alter role paywall_owner login',
      "copy (select 1) to program 'cat'",
      "select pg_read_file('postgresql.conf')",
    ]
    const codes = await tryStatements(client, statements)
    // `create database` cannot be tried within a transaction: Postgres refuses it before it checks privileges.
    expect({ ...codes, 'create database mine': PERMISSION_DENIED }).toEqual(allDenied(statements))
    await expect(client.query('create database mine')).rejects.toMatchObject({ code: PERMISSION_DENIED })
  })

  test('has shorter timeouts than its Worker, only the privileges of its role, and owns nothing', async () => {
    const { rows } = await client.query(
      `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
         r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls as is_mighty,
         (select array_agg(roleid::regrole::text) from pg_auth_members where member = r.oid) as memberships,
         (select count(*)::int from pg_shdepend where refobjid = r.oid and deptype = 'o') as owned
       from pg_roles r where r.rolname = current_user`,
    )
    expect(rows).toEqual([{ lock: '2s', statement: '3s', is_mighty: false, memberships: [role], owned: 0 }])
  })
})

test('only the roles may execute functions, and neither they nor the owner of the functions can log in', async () => {
  const { rows } = await withClient(url, (client) =>
    client.query(
      `select p.proname, pg_get_userbyid(p.proowner) as owner, acl.grantee::regrole::text as grantee
       from pg_proc p cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl
       where p.pronamespace = to_regnamespace($1)`,
      [release],
    ),
  )
  const granted = rows
    .filter(({ grantee, owner }) => grantee !== owner)
    .map(({ grantee, proname }) => `${grantee} ${proname}`)
  const listed = ROLES.flatMap(({ role, functions: own }) => own.map((name) => `${role} ${name}`))
  expect(granted.toSorted()).toEqual(listed.toSorted())
  expect(new Set(rows.map(({ owner }) => owner))).toEqual(new Set(['paywall_owner']))
  const owner = await withClient(url, (client) =>
    client.query('select distinct rolcanlogin, rolsuper from pg_roles where rolname = any($1)', [
      ['paywall_owner', ...ROLES.map(({ role }) => role)],
    ]),
  )
  expect(owner.rows).toEqual([{ rolcanlogin: false, rolsuper: false }])
})

test('a security definer function resolves names in its release first and in temporary tables last', async () => {
  const { rows } = await withClient(url, (client) =>
    client.query('select proname, proconfig from pg_proc where prosecdef and pronamespace = to_regnamespace($1)', [
      release,
    ]),
  )
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(({ proconfig }) => !proconfig?.includes(`search_path=${release}, public, pg_temp`))).toEqual([])
})
