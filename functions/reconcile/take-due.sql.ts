import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import type { Acquiring } from '../../lib/processors/acquiring.ts'
import type { PurchaseReference } from '../../lib/processors/processor.ts'

/** A checkout or purchase that is ours to look at, and the account to ask about it. */
export interface DueReference {
  kind: PurchaseReference['kind']
  /** The processor's id of it. */
  processor_id: string
  /** Our id of the checkout, for a `session`, or of the purchase. */
  id: string
  paywall_id: string
  acquiring: Acquiring
  /** Sealed. */
  credentials: string
  /** When it was taken, by the database's clock: whatever is fetched after it is newer than it. */
  taken_at: string
}

/**
 * Takes what is due, at most `count` hosted pages and `count` purchases, the longest overdue first: see `checkout_due`
 * and `purchase_due` in schema.sql. Taking moves the next look away, so whoever takes at the same moment gets others, and
 * what cannot be fetched stands in nobody's way.
 *
 * It waits for no lock, since what a writer holds is skipped, and keeps none: writers who lock a member and then its
 * purchases cannot wait for it in a circle.
 */
export async function takeDue(db: Database, count: number): Promise<DueReference[]> {
  const { rows } = await sql<DueReference>`
    with due_checkouts as (
      select id from checkouts
      where session_id is not null and completed_at is null and reconcile_at <= now()
      order by reconcile_at limit ${count}::int
      for no key update skip locked
    ), due_purchases as (
      select id from purchases where reconcile_at <= now()
      order by reconcile_at limit ${count}::int
      for no key update skip locked
    ), taken as (
      update checkouts c set looked_at = now() from due_checkouts due where c.id = due.id
      returning 'session' as kind, c.session_id as processor_id, c.id, c.paywall_id, c.acquiring
    ), taken_purchases as (
      update purchases p set looked_at = now() from due_purchases due where p.id = due.id
      returning case when p.interval is null then 'payment' else 'subscription' end as kind,
        p.processor_id, p.id, p.paywall_id, p.acquiring
    )
    select taken.*, account.credentials, now()::text as taken_at
    from (select * from taken union all select * from taken_purchases) taken
    join processor_accounts account using (paywall_id, acquiring)`.execute(db)
  return rows
}
