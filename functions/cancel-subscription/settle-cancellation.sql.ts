import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type ClaimedSubscription, LEASE_SECONDS } from './claim-cancellation.sql.ts'

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

/**
 * Lets the request be made again at once. The mark is taken back if the processor is known not to have taken it; else it
 * stays, as one whose lease is over, so that the reconcile cron looks what came of it.
 */
export async function releaseCancellation(db: Database, claim: ClaimedSubscription, isKnown: boolean): Promise<void> {
  const released = isKnown
    ? sql`cancel_requested_at = null, cancellation_reason = null`
    : sql`cancel_requested_at = now() - make_interval(secs => ${LEASE_SECONDS}::int)`
  await sql`update purchases set ${released} where ${isHeld(claim)}`.execute(db)
}

const isHeld = ({ id, requested_at }: ClaimedSubscription) => sql`
  id = ${id}::uuid and cancel_requested_at = ${requested_at}::timestamptz and cancel_accepted_at is null`
