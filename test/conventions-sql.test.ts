import { beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../cli/database.ts'
import { readRelease } from '../cli/migrate/release.ts'
import { freshDatabase } from './support/databases.ts'

/** A database function written in SQL, not in plpgsql. */
interface SqlFunction {
  name: string
  /** The types of its parameters, in order. */
  parameters: string[]
  returnsSet: boolean
  /** The query plan of a statement that only calls it. */
  queryPlan: string
}

let sqlFunctions: SqlFunction[]

beforeAll(async () => {
  await withClient(await freshDatabase(), async (client) => {
    const { rows } = await client.query<Omit<SqlFunction, 'queryPlan'>>(
      `select p.proname as name, p.proretset as "returnsSet",
         array(select format_type(type, null) from unnest(p.proargtypes) with ordinality t (type, n) order by n) as parameters
       from pg_proc p join pg_language l on l.oid = p.prolang
       where p.pronamespace = $1::regnamespace and l.lanname = 'sql'`,
      [readRelease().name],
    )
    await client.query(`set search_path = ${readRelease().name}, public`)
    sqlFunctions = []
    for (const each of rows) {
      const parameters = each.parameters.map((type, index) => `$${index + 1}::${type}`)
      const { rows: lines } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (generic_plan, verbose) select * from ${each.name}(${parameters})`,
      )
      sqlFunctions.push({ ...each, queryPlan: lines.map((line) => line['QUERY PLAN']).join('\n') })
    }
  })
})

// Before version 18, Postgres plans an SQL function again at each call, unless it is inlined: then it becomes part of the calling
// statement, whose plan the connection caches. plpgsql caches the plans of all its statements.
describe('a database function is written in SQL only if Postgres can inline it:', () => {
  test('the query plan of a call does not contain the call', () => {
    expect(sqlFunctions.map(({ name }) => name)).toContain('iso')
    expect(
      sqlFunctions.filter(({ name, queryPlan }) => queryPlan.includes(`${name}(`)).map(({ name }) => name),
    ).toEqual([])
  })

  test('a set-returning function is called only in a from or join clause', () => {
    const queries = sqlFunctions.filter(({ returnsSet }) => returnsSet).map(({ name }) => name)
    expect(queries).toContain('scan_pending_endpoints')
    const calls = readRelease().files.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?!create function|--).*$/gm)].flatMap(([line]) =>
        queries.filter((name) => new RegExp(`\\b${name}\\(`).test(line)).map((name) => ({ path, line, name })),
      ),
    )
    expect(calls.filter(({ line, name }) => !new RegExp(`\\b(from|join) ${name}\\(`).test(line))).toEqual([])
  })
})

/**
 * Tables that are older than this rule, or do not grow. Rows of `sign_in_challenges` last for minutes and are found by their secret; a rate
 * limit of a network or of a mail address belongs to no owner.
 */
const EXEMPT_TABLES = [
  'owners',
  'api_keys',
  'processors',
  'paywalls',
  'processor_accounts',
  'prices',
  'releases',
  'webhook_endpoints',
  'users',
  'members',
  'checkouts',
  'checkout_claims',
  'purchases',
  'payments',
  'processor_events',
  'balances',
  'ledger',
  'idempotent_replies',
  'tickets',
  'ticket_attachments',
  'ticket_quotas',
  'sign_in_challenges',
  'sign_in_sessions',
  'rate_limits',
  'events',
  'deliveries',
  'kysely_migration',
  'kysely_migration_lock',
]

test('the primary key of every new table starts with owner_id', async () => {
  const { rows } = await withClient(await freshDatabase(), (client) =>
    client.query<{ name: string; first: string | null }>(
      `select c.relname as name, (
         select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
         where i.indrelid = c.oid and i.indisprimary) as first
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
    ),
  )
  const named = rows.map(({ name }) => name)
  expect(EXEMPT_TABLES.filter((name) => !named.includes(name))).toEqual([])
  const others = rows.filter(({ name }) => !EXEMPT_TABLES.includes(name))
  expect(others.filter(({ first }) => first !== 'owner_id')).toEqual([])
})
