import { beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../cli/database.ts'
import { readRelease } from '../cli/migrate/release.ts'
import { freshDatabase } from './support/databases.ts'

/** A database function in SQL, not in plpgsql. */
interface InSql {
  name: string
  /** The types of its parameters, in order. */
  parameters: string[]
  returnsSet: boolean
  /** How Postgres would run a statement that does nothing but call it. */
  queryPlan: string
}

let inSql: InSql[]

beforeAll(async () => {
  await withClient(await freshDatabase(), async (client) => {
    const { rows } = await client.query<Omit<InSql, 'queryPlan'>>(
      `select p.proname as name, p.proretset as "returnsSet",
         array(select format_type(type, null) from unnest(p.proargtypes) with ordinality t (type, n) order by n) as parameters
       from pg_proc p join pg_language l on l.oid = p.prolang
       where p.pronamespace = $1::regnamespace and l.lanname = 'sql'`,
      [readRelease().name],
    )
    await client.query(`set search_path = ${readRelease().name}, public`)
    inSql = []
    for (const each of rows) {
      const parameters = each.parameters.map((type, index) => `$${index + 1}::${type}`)
      const { rows: lines } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (generic_plan, verbose) select * from ${each.name}(${parameters})`,
      )
      inSql.push({ ...each, queryPlan: lines.map((line) => line['QUERY PLAN']).join('\n') })
    }
  })
})

// Before version 18 Postgres plans what a function in SQL does at each call anew, unless the function is inlined: then it
// becomes part of the statement that calls it, whose query plan the connection keeps. plpgsql keeps those of all its statements.
describe('database functions are plpgsql, but those that Postgres inlines', () => {
  test('which are one expression, or a stable query that sets nothing', () => {
    expect(inSql.map(({ name }) => name)).toContain('iso')
    expect(inSql.filter(({ name, queryPlan }) => queryPlan.includes(`${name}(`)).map(({ name }) => name)).toEqual([])
  })

  test('and a query only where it is selected from', () => {
    const queries = inSql.filter(({ returnsSet }) => returnsSet).map(({ name }) => name)
    expect(queries).toContain('scan_pending_endpoints')
    const calls = readRelease().files.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?!create function|--).*$/gm)].flatMap(([line]) =>
        queries.filter((name) => new RegExp(`\\b${name}\\(`).test(line)).map((name) => ({ path, line, name })),
      ),
    )
    expect(calls.filter(({ line, name }) => !new RegExp(`\\b(from|join) ${name}\\(`).test(line))).toEqual([])
  })
})

/** The tables that are older than the rule, or do not grow. */
const OTHERWISE_KEYED = [
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
  'balance_replies',
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

test('a new table begins its primary key with the owner', async () => {
  const { rows } = await withClient(await freshDatabase(), (client) =>
    client.query<{ name: string; first: string | null }>(
      `select c.relname as name, (
         select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
         where i.indrelid = c.oid and i.indisprimary) as first
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
    ),
  )
  const named = rows.map(({ name }) => name)
  expect(OTHERWISE_KEYED.filter((name) => !named.includes(name))).toEqual([])
  const others = rows.filter(({ name }) => !OTHERWISE_KEYED.includes(name))
  expect(others.filter(({ first }) => first !== 'owner_id')).toEqual([])
})
