import type { TestWorld } from './world.ts'

const TABLES = [
  'users',
  'members',
  'checkouts',
  'checkout_claims',
  'purchases',
  'balances',
  'ledger',
  'events',
  'tickets',
  'sign_in_sessions',
]

/**
 * A checksum of all that a refused call must leave as it was, and the number of calls that the processor got. Due times are not
 * in it: a page that was replaced is closed after the reply, and is then due no more.
 */
export async function everything({ database, stripe }: TestWorld): Promise<string> {
  const counts = TABLES.map(
    (table) => `(select jsonb_agg(to_jsonb(t) - 'reconcile_at' order by to_jsonb(t)::text) from ${table} t)`,
  )
  const { rows } = await database.query<{ sum: string }>(
    `select md5(jsonb_build_array(${counts.join(', ')})::text) as sum`,
  )
  return `${rows[0]?.sum} ${stripe.calls.length}`
}
