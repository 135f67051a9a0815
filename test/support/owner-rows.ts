import type pg from 'pg'

/** An owner in one mode: test data and live data are separate. */
export interface World {
  /** The owner's id. */
  id: string
  isTest: boolean
}

type Database = Pick<pg.ClientBase, 'query'>

interface Table {
  name: string
  columns: string[]
  /** The tables that its rows refer to, by the columns of both. */
  references: { columns: string[]; table: string; theirs: string[] }[]
}

/** Tables whose rows belong to no owner. */
const NOBODYS = ['kysely_migration', 'kysely_migration_lock', 'processors', 'releases']

/** The cron that adds pending figures to sums does so for all owners, which changes nothing that anybody reads: compared as single values. */
const SOURCES: Record<string, string> = {
  figures: `(
    select owner_id, is_test, by, day, key, currency, name, sum(value::numeric) as value
    from (
      select f.owner_id, f.is_test, f.by, f.day, f.key, f.currency, each.key as name, each.value
      from figures f cross join jsonb_each_text(
        to_jsonb(f) - array['owner_id', 'is_test', 'by', 'is_month', 'day', 'key', 'currency']) each
      where not f.is_month
      union all
      select f.owner_id, f.is_test, split.by, f.day, split.key, f.currency, each.key, each.value
      from pending_figures f cross join jsonb_each_text(f.added) each
        cross join lateral (values ('day', ''), ('price', f.price), ('country', f.country), ('acquiring', f.acquiring)) split (by, key)
    ) single group by 1, 2, 3, 4, 5, 6, 7 having sum(value::numeric) <> 0)`,
}

/** Read as part of another one. */
const PARTS = ['pending_figures']

/**
 * Every row of an owner in one mode (its paywalls' and its users'), as text, by table. Throws for a table whose rows
 * it cannot assign to an owner.
 */
export async function rowsOfOwner(database: Database, { id, isTest }: World): Promise<Record<string, string[]>> {
  const tables = await readTables(database)
  const found: Record<string, string[]> = {}
  for (const { name } of tables.filter((table) => ![...NOBODYS, ...PARTS].includes(table.name))) {
    const { rows } = await database.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${SOURCES[name] ?? name} t where ${getCondition(name, tables)} order by 1`,
      [id, isTest],
    )
    found[name] = rows.map(({ row }) => row)
  }
  return found
}

/** The condition that a row belongs to the owner `$1`, in test mode if `$2`. */
export async function isOfOwner(database: Database, name: string): Promise<string> {
  return NOBODYS.includes(name)
    ? '$1::text is null and $2::boolean is null'
    : getCondition(name, await readTables(database))
}

const PAYWALLS = 'select id from paywalls where owner_id = $1 and is_test = $2'
const USERS = 'select id from users where owner_id = $1 and is_test = $2'
const WEBHOOK_ENDPOINTS = 'select id from webhook_endpoints where owner_id = $1 and is_test = $2'

/** Whether a row belongs to the owner: it names the owner, one of its paywalls or users, or refers to a row that does. */
function getCondition(name: string, tables: Table[], from: string[] = []): string {
  const table = tables.find((each) => each.name === name)!
  const { columns } = table
  if (name === 'owners') return 'id = $1 and $2' // belongs to both modes: counted once
  const named = [
    ...(columns.includes('owner_id') && columns.includes('is_test') ? ['owner_id = $1 and is_test = $2'] : []),
    ...(columns.includes('paywall_id') ? [`paywall_id in (${PAYWALLS})`] : []),
    ...(columns.includes('user_id') ? [`user_id in (${USERS})`] : []),
    // A quota or rate limit names its paywall or user.
    ...(columns.includes('who') ? [`exists (${PAYWALLS} and who like '%' || paywalls.id || '%')`] : []),
    ...(columns.includes('who') ? [`exists (${USERS} and who like '%' || users.id || '%')`] : []),
    ...(name === 'delivery_attempts' ? [`endpoint_id in (${WEBHOOK_ENDPOINTS})`] : []),
    ...(name === 'rate_limits' ? [`exists (${PAYWALLS} and key like '%' || paywalls.id || '%')`] : []),
    ...(name === 'rate_limits' ? [`exists (${USERS} and key like '%' || users.id || '%')`] : []),
  ]
  if (named.length > 0) return named.join(' or ')
  const referring = table.references
    .filter((each) => ![...NOBODYS, name, ...from].includes(each.table))
    .filter((each, _, all) => each.table !== 'owners' || all.length === 1) // the other reference has the mode, too
    .map((each) => {
      const theirs = `select ${each.theirs.join()} from ${each.table} where ${getCondition(each.table, tables, [...from, name])}`
      return `(${each.columns.join()}) in (${theirs})`
    })
  if (referring.length > 0) return referring.join(' or ')
  throw new Error(`whose are the rows of ${name}? Neither a column nor a reference says it`)
}

async function readTables(database: Database): Promise<Table[]> {
  const { rows } = await database.query<Table>(`
    select c.relname as name,
      (select jsonb_agg(a.attname) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      coalesce((select jsonb_agg(jsonb_build_object(
          'table', k.confrelid::regclass::text,
          'columns', (select jsonb_agg(a.attname order by u.n) from unnest(k.conkey) with ordinality u(id, n)
            join pg_attribute a on (a.attrelid, a.attnum) = (k.conrelid, u.id)),
          'theirs', (select jsonb_agg(a.attname order by u.n) from unnest(k.confkey) with ordinality u(id, n)
            join pg_attribute a on (a.attrelid, a.attnum) = (k.confrelid, u.id))))
        from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'), '[]') as "references"
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`)
  return rows
}

/** The rows that are in only one of the two, by table: empty if nothing has changed. */
export function changedRows(
  before: Record<string, string[]>,
  after: Record<string, string[]>,
): Record<string, { was: string[]; is: string[] }> {
  const changes = Object.entries(after).map(([table, rows]) => {
    const was = (before[table] ?? []).filter((row) => !rows.includes(row))
    const is = rows.filter((row) => !before[table]?.includes(row))
    return [table, { was, is }] as const
  })
  return Object.fromEntries(changes.filter(([, { was, is }]) => was.length > 0 || is.length > 0))
}
