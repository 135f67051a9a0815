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

/**
 * Records the hosted page that the processor opened; from now on the key is answered by replay.
 * The member's row is locked first, as everywhere: it says which page was open before, whoever else is at it.
 */
export async function settleCheckout(
  db: Database,
  holder: string,
  checkout: ClaimedCheckout,
  hosted: HostedCheckout & { currency: string; amount: number },
): Promise<SettledRow> {
  const { rows } = await sql<SettledRow>`
    with buyer as (
      select * from members where (paywall_id, user_id) = (${checkout.paywall_id}, ${checkout.user_id}::uuid)
      for no key update
    ), claim as (
      update checkout_claims k set opened = true from buyer
      where (k.paywall_id, k.caller, k.idempotency_key) = (buyer.paywall_id, ${checkout.caller}, ${checkout.key}::uuid)
        and k.holder = ${holder}::uuid
      returning k.checkout_id
    ), opened as (
      update checkouts c
      set session_id = ${hosted.sessionId}, url = ${hosted.url}, currency = ${hosted.currency},
        amount = ${hosted.amount}::bigint
      from claim where c.id = claim.checkout_id
      returning c.acquiring || ':' || c.session_id as session
    ), moved as (
      update members m set open_session = opened.session from opened, buyer
      where (m.paywall_id, m.user_id) = (buyer.paywall_id, buyer.user_id)
    )
    select exists (select from opened) as settled,
      (select buyer.open_session from buyer, opened where buyer.open_session <> opened.session) as superseded
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
  checkout: ClaimedCheckout,
  answered: boolean,
): Promise<void> {
  await sql`
    update checkout_claims set leased_until = now(), attempt = attempt + ${answered ? 1 : 0}
    where (paywall_id, caller, idempotency_key) = (${checkout.paywall_id}, ${checkout.caller}, ${checkout.key}::uuid)
      and holder = ${holder}::uuid`.execute(db)
}
