import { sql } from 'kysely'

/** The events in `told`, each with a delivery to every endpoint of the owner that asks for its type. */
const written = sql`
  written as (
    insert into events (id, paywall_id, user_id, sequence, type, body)
    select id, paywall_id, user_id, sequence, type, json_build_object(
      'id', id, 'type', type, 'timestamp', iso(now()), 'data', jsonb_build_object(
        'paywall_id', paywall_id, 'user', jsonb_build_object('id', user_id, 'email', email), 'sequence', sequence,
        split_part(type, '.', 1), object
      ) || case when previous is null then '{}' else jsonb_build_object('previous', previous) end
    )::text
    from told
    returning id, paywall_id, user_id, sequence, type
  ), queued as (
    insert into deliveries (event_id, endpoint_id, paywall_id, user_id, sequence)
    select w.id, e.id, w.paywall_id, w.user_id, w.sequence
    from written w join paywalls p on p.id = w.paywall_id join webhook_endpoints e on e.owner_id = p.owner_id
    where e.disabled_at is null
      and (w.type = any (e.events) or '*' = any (e.events) and w.type <> 'balance.changed')
    returning event_id
  )`

const newId = sql`'evt_' || replace(gen_random_uuid()::text, '-', '') as id`

/**
 * The CTEs that write the outbox, in the statement that makes things happen, so that neither can be without the other.
 * They follow a CTE `happened (paywall_id, user_id, position, type, object, previous)`: what happened to a member, in
 * order; `object` is the thing as it now is, `previous` as it was, or null.
 *
 * A member's events are numbered by its row, which every writer locks: the numbers have no gaps and no twins.
 * An event is queued for each endpoint of the owner that asks for its type; `balance.changed` must be asked for by name.
 */
export const outbox = sql`
  numbered as (
    update members m set event_sequence = m.event_sequence + h.events
    from (select paywall_id, user_id, count(*) as events from happened group by paywall_id, user_id) h
    where (m.paywall_id, m.user_id) = (h.paywall_id, h.user_id)
    returning m.paywall_id, m.user_id, m.event_sequence - h.events as before
  ), told as (
    select h.*, ${newId}, u.email,
      n.before + row_number() over (partition by h.paywall_id, h.user_id order by h.position) as sequence
    from happened h join numbered n using (paywall_id, user_id) join users u on u.id = h.user_id
  ), ${written}`

/**
 * The same for what a guest did: `happened (paywall_id, email, type, object)`. A guest is no member, since anybody can
 * write an address: its event is about `user: {id: null, email}`, stands in no order with others and is number 1.
 */
export const guestOutbox = sql`
  told as (
    select h.*, ${newId}, null::uuid as user_id, 1 as sequence, null::jsonb as previous from happened h
  ), ${written}`
