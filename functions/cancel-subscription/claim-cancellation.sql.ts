import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'
import { type Caller, type GateRefusal, gate, gateRefusals, type Place } from '../../lib/db/gate.sql.ts'
import { type Identity, type MemberRefusal, member, memberRefusals } from '../../lib/db/member.sql.ts'
import type { Acquiring } from '../../lib/processors/acquiring.ts'

/** How long a request keeps others out: longer than the processor client's own patience. A crash costs this much. */
export const LEASE_SECONDS = 30

export type ClaimRefusal = GateRefusal | MemberRefusal | 'unknown_subscription' | 'already_cancelled'

/** A subscription whose cancelling is ours, and the account it was bought at. */
export interface ClaimedSubscription {
  id: string
  paywall_id: string
  acquiring: Acquiring
  credentials: string
  processor_id: string
  current_period_end: string | null
  /** What the claim is known by when it ends. */
  requested_at: string
}

export type ClaimRow = { verdict: ClaimRefusal } | { verdict: 'claimed'; subscription: ClaimedSubscription }

/**
 * Marks the member's subscription as being cancelled. The mark is an update of the row that it looks at, so that of many
 * callers at once exactly one makes it and calls the processor. A mark that was neither accepted nor taken back when its
 * lease ended is a crash: the next caller makes its own, since telling the processor twice does no harm.
 *
 * No other row is locked, so there is nothing to wait for each other about.
 */
export async function claimCancellation(
  db: Database,
  caller: Caller,
  place: Place,
  request: Identity & { subscriptionId: string; cancellationReason: string },
): Promise<ClaimRow> {
  const { rows } = await sql<ClaimRow>`
    with ${gate(caller, place)}, ${member(caller, request)}, named as (
      select p.id from purchases p join member using (paywall_id, user_id)
      where p.interval is not null
        and (p.id::text = lower(${request.subscriptionId}) or p.processor_id = ${request.subscriptionId}::text)
      order by p.id::text = lower(${request.subscriptionId}) desc
      limit 1
    ), claimed as (
      update purchases p set cancel_requested_at = now(), cancellation_reason = ${request.cancellationReason}::text
      from named
      where p.id = named.id and p.status <> 'canceled' and not p.cancel_at_period_end and p.cancel_accepted_at is null
        and coalesce(p.cancel_requested_at <= now() - make_interval(secs => ${LEASE_SECONDS}::int), true)
      returning p.*
    )
    select
      case ${gateRefusals(caller)} ${caller.kind === 'owner' ? memberRefusals : sql``}
        when not exists (select from named) then 'unknown_subscription'
        when not exists (select from claimed) then 'already_cancelled'
        else 'claimed'
      end as verdict,
      (select jsonb_build_object(
         'id', c.id, 'paywall_id', c.paywall_id, 'acquiring', c.acquiring, 'credentials', a.credentials,
         'processor_id', c.processor_id, 'current_period_end', iso(c.current_period_end),
         'requested_at', c.cancel_requested_at::text)
       from claimed c join processor_accounts a using (paywall_id, acquiring)) as subscription`.execute(db)
  return rows[0]!
}
