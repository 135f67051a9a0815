import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import type { HostedCheckout } from '../../lib/processors/processor.ts'
import type { ClaimedCheckout } from './claim-checkout.sql.ts'

export type SettledRow = {
  /** False if another try has taken the claim over meanwhile: what that one opened counts. */
  settled: boolean
  /** `<acquiring>:<id>` of the buyer's hosted page before this one, which nobody should pay any more. */
  superseded: string | null
}

/** Records the hosted page that the processor opened; from now on the key is answered by replay. */
export async function settleCheckout(
  db: Database,
  holder: string,
  checkout: ClaimedCheckout,
  hosted: HostedCheckout & { currency: string; amount: number },
): Promise<SettledRow> {
  const { rows } = await sql<SettledRow>`
    with claim as (
      update checkout_claims set opened = true where checkout_id = ${checkout.id}::uuid and holder = ${holder}::uuid
      returning checkout_id
    ), opened as (
      update checkouts c
      set session_id = ${hosted.sessionId}, url = ${hosted.url}, currency = ${hosted.currency},
        amount = ${hosted.amount}::bigint
      from claim where c.id = claim.checkout_id
      returning c.paywall_id, c.user_id, c.acquiring || ':' || c.session_id as session
    ), before as (
      select m.paywall_id, m.user_id, m.open_session from members m join opened using (paywall_id, user_id) for update of m
    ), moved as (
      update members m set open_session = opened.session
      from opened join before using (paywall_id, user_id)
      where (m.paywall_id, m.user_id) = (opened.paywall_id, opened.user_id)
    )
    select exists (select from opened) as settled,
      (select before.open_session from before, opened where before.open_session <> opened.session) as superseded
    `.execute(db)
  return rows[0]!
}

/**
 * Lets the next try have the claim at once, because this one failed. After an answer of the processor's own the attempt
 * number moves on, for the same key at the processor would only get the same answer.
 */
export async function releaseCheckout(
  db: Database,
  holder: string,
  checkoutId: string,
  answered: boolean,
): Promise<void> {
  await db
    .updateTable('checkout_claims')
    .set((claim) => ({ leased_until: sql`now()`, attempt: claim('attempt', '+', answered ? 1 : 0) }))
    .where('checkout_id', '=', checkoutId)
    .where('holder', '=', holder)
    .execute()
}
