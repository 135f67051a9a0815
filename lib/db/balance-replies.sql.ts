import { sql } from 'kysely'
import type { Once } from '../http/once.ts'

/** Why a key gets no change: it was used for another one. */
export type OnceRefusal = 'key_reused'

/** The CTE `prior (request_hash, body)`, to follow `gate`: the reply that the key had within its 24 hours. */
export function priorReply(once: Once | null) {
  if (!once) return sql`prior as (select null::text as request_hash, null::jsonb as body where false)`
  return sql`
    prior as (
      select r.request_hash, r.reply as body from balance_replies r join granted g on g.id = r.paywall_id
      where r.idempotency_key = ${once.key}::uuid and r.created_at > now() - interval '24 hours'
    )`
}

/** The `case` arms that go with `priorReply`. */
export function priorVerdicts(once: Once | null) {
  return sql`
    when exists (select from prior where request_hash <> ${once?.hash ?? null}::text) then 'key_reused'
    when exists (select from prior) then 'replayed'`
}

/**
 * The CTEs that keep `reply (body)` under the key. Of two calls at once the second finds the key taken, which fails its
 * whole statement, change and all; asked again, it finds the first one's reply. A reply that is a day old makes room.
 */
export function keepReply(once: Once | null) {
  if (!once) return sql`kept as (select)`
  return sql`
    forgotten as (
      delete from balance_replies r using reply, granted g
      where r.paywall_id = g.id and r.idempotency_key = ${once.key}::uuid
        and r.created_at <= now() - interval '24 hours'
      returning r.idempotency_key
    ), kept as (
      insert into balance_replies (paywall_id, idempotency_key, request_hash, reply)
      select g.id, ${once.key}::uuid, ${once.hash}, body
      from granted g, reply, (select count(*) from forgotten) made_room
    )`
}
