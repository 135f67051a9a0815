import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import type { ClaimedSubscription } from './claim-cancellation.sql.ts'

/**
 * Records that the processor took the request. Does nothing if the claim was taken over meanwhile.
 * Gives the database's clock: whatever is fetched after it is newer than it.
 */
export async function acceptCancellation(db: Database, claim: ClaimedSubscription): Promise<string> {
  const { rows } = await sql<{ now: string }>`
    with accepted as (update purchases set cancel_accepted_at = now() where ${isHeld(claim)})
    select clock_timestamp()::text as now`.execute(db)
  return rows[0]!.now
}

/** Takes the mark back, because the processor did not take the request: it can be made again at once. */
export async function releaseCancellation(db: Database, claim: ClaimedSubscription): Promise<void> {
  await sql`
    update purchases set cancel_requested_at = null, cancellation_reason = null where ${isHeld(claim)}`.execute(db)
}

const isHeld = ({ id, requested_at }: ClaimedSubscription) => sql`
  id = ${id}::uuid and cancel_requested_at = ${requested_at}::timestamptz and cancel_accepted_at is null`
