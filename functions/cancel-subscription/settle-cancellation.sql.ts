import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import type { ClaimedSubscription } from './claim-cancellation.sql.ts'

/** Records that the processor took the request. Does nothing if the claim was taken over meanwhile. */
export async function acceptCancellation(db: Database, claim: ClaimedSubscription): Promise<void> {
  await sql`update purchases set cancel_accepted_at = now() where ${isHeld(claim)}`.execute(db)
}

/** Takes the mark back, because the processor did not take the request: it can be made again at once. */
export async function releaseCancellation(db: Database, claim: ClaimedSubscription): Promise<void> {
  await sql`
    update purchases set cancel_requested_at = null, cancellation_reason = null where ${isHeld(claim)}`.execute(db)
}

const isHeld = ({ id, requested_at }: ClaimedSubscription) => sql`
  id = ${id}::uuid and cancel_requested_at = ${requested_at}::timestamptz and cancel_accepted_at is null`
