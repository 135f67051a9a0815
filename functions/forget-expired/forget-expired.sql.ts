import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'

/** What has no use any more, by table: since when a row counts, and for how long it is kept after that. */
interface Expiring {
  table: string
  since: RawBuilder<unknown>
  keep: string
  /** Which rows, if not all. */
  where?: RawBuilder<unknown>
}

/**
 * What is promised for 24 hours is kept for 25: a call that is under way as they end still finds its row. A code's row
 * also counts the codes of the last hour, and its own was the last. An ended sign-in that is gone is refused as before:
 * nobody has its tokens' session. Each of these is served by an index of its own.
 */
const EXPIRING: Expiring[] = [
  { table: 'balance_replies', since: sql`created_at`, keep: '25 hours' },
  { table: 'checkout_claims', since: sql`claimed_at`, keep: '25 hours' },
  { table: 'ticket_quotas', since: sql`opened[cardinality(opened)]`, keep: '25 hours' },
  { table: 'sign_in_codes', since: sql`expires_at`, keep: '1 hour' },
  { table: 'sign_in_sessions', since: sql`least(ended_at, expires_at)`, keep: '1 hour' },
  { table: 'deliveries', since: sql`finished_at`, keep: '30 days', where: sql`state = 'delivered'` },
]

/**
 * Deletes at most `count` expired rows of each table, the oldest first; returns how many there were in all. What somebody
 * has locked is in use and stays for now, so this waits for nobody.
 */
export async function forgetExpired(db: Database, count: number): Promise<number> {
  const { rows } = await sql<{ forgotten: number }>`
    with ${sql.join(EXPIRING.map((expiring) => deletion(expiring, count)))}
    select (${sql.join(
      EXPIRING.map(({ table }) => sql`(select count(*) from ${sql.raw(`${table}_gone`)})`),
      sql` + `,
    )})::int as forgotten`.execute(db)
  return rows[0]!.forgotten
}

const deletion = ({ table, since, keep, where = sql`true` }: Expiring, count: number) => sql`
  ${sql.raw(`${table}_gone`)} as (
    delete from ${sql.raw(table)} where ctid = any (array(
      select ctid from ${sql.raw(table)} where ${where} and ${since} <= now() - ${keep}::interval
      order by ${since} limit ${count}::int for update skip locked
    )) returning 1
  )`
