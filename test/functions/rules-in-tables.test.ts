import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../support/databases.ts'

// When a release is removed, its functions are dropped, together with everything that depends on them. And a new expression for a
// generated column rewrites every row. So nothing in the tables depends on our functions, and no time is a generated column.

let client: pg.Client

beforeAll(async () => {
  client = new pg.Client({ connectionString: await freshDatabase() })
  await client.connect()
})
afterAll(() => client.end())

/** The columns, indexes, constraints, triggers and views that depend on functions that are not Postgres's own. */
async function dependOnFunctions(): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(
    `select distinct pg_describe_object(d.classid, d.objid, d.objsubid) as what
     from pg_depend d join pg_proc p on p.oid = d.refobjid and d.refclassid = 'pg_proc'::regclass
     where p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
       and d.classid <> 'pg_proc'::regclass order by 1`,
  )
  return rows.map(({ what }) => what)
}

async function computedTimes(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select a.attrelid::regclass || '.' || a.attname as name from pg_attribute a
     where a.attgenerated <> '' and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype) order by 1`,
  )
  return rows.map(({ name }) => name)
}

test('nothing in the tables depends on our functions, and no time is a generated column', async () => {
  expect(await dependOnFunctions()).toEqual([])
  expect(await computedTimes()).toEqual([])
})

test('the check finds such dependencies and generated columns', async () => {
  await client.query(`begin;
    create function look_after(since timestamptz) returns timestamptz language sql immutable as $$ select since $$;
    create index checkouts_by_look on checkouts (look_after(created_at));
    alter table checkouts
      add column look_at timestamptz generated always as (look_after(created_at)) stored,
      add column ask_at timestamptz generated always as (greatest(created_at, polled_at)) stored,
      add constraint looked_later check (look_after(created_at) > created_at)`)
  expect(await dependOnFunctions()).toEqual([
    'constraint looked_later on table checkouts',
    'default value for column look_at of table checkouts',
    'index checkouts_by_look',
  ])
  expect(await computedTimes()).toEqual(['checkouts.ask_at', 'checkouts.look_at'])
  await client.query('rollback')
})
