import { type RawBuilder, sql } from 'kysely'
import { gate, gateRefusals, type Place, paywallAt, type UserRefusal } from '../../lib/db/gate.sql.ts'
import { type MemberRefusal, member, memberRefusals } from '../../lib/db/member.sql.ts'

/** Who asks for help. A guest's address is nobody's proof of anything; null while it is not known yet. */
export type Sender = { kind: 'user'; userId: string } | { kind: 'guest'; email: string | null }

/** Where and why a sender is not let in. */
export type SenderRefusal = UserRefusal | MemberRefusal

/** How many tickets a user, and an e-mail address, may open in 24 hours (contract section 8). */
export const QUOTA = 2

/** The CTEs `granted` and `sender (paywall_id, user_id, email)`; `lock` is for the member's row. */
export function sender(who: Sender, place: Place, lock: RawBuilder<unknown> = sql``) {
  return who.kind === 'user'
    ? sql`${gate(who, place)}, ${member(who, {})}, sender as (
        select m.paywall_id, m.user_id, i.email
        from members m join member using (paywall_id, user_id) join identity i on i.id = m.user_id
        where m.merged_into is null
        ${lock})`
    : sql`${paywallAt(place)}, granted as (select * from paywall), sender as (
        select id as paywall_id, null::uuid as user_id, ${who.email}::text as email from granted)`
}

/** The `case` arms that go with `sender`. */
export function senderRefusals(who: Sender) {
  return who.kind === 'user'
    ? sql`${gateRefusals(who)} ${memberRefusals} when not exists (select from sender) then 'unknown_user'`
    : sql`when not exists (select from paywall) then 'unknown_paywall'`
}

/** Those of a quota row's times that still count. */
export const recent = (opened: RawBuilder<unknown>) =>
  sql`(select coalesce(array_agg(at order by at), '{}') from unnest(${opened}) at where at > now() - interval '24 hours')`

/**
 * The CTEs `full` and `wait (seconds)`, to follow `sender`: which quotas of the sender have no room, and when there will
 * be some. A row that did not exist when the statement began is not seen: what was counted in it was counted just now.
 */
export function quotas(lock: RawBuilder<unknown> = sql``) {
  return sql`
    counted as (
      select ${recent(sql`q.opened`)} as opened
      from ticket_quotas q join sender s on s.paywall_id = q.paywall_id
        and q.who in ('email:' || s.email, 'user:' || s.user_id)
      order by q.who
      ${lock}
    ), spent as (
      select opened from counted where cardinality(opened) >= ${QUOTA}::int
    ), wait as (
      select coalesce(
        max(ceil(extract(epoch from opened[cardinality(opened) - ${QUOTA - 1}::int] + interval '24 hours' - now())))::int,
        24 * 60 * 60) as seconds
      from spent
    )`
}
