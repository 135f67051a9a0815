import { sql } from 'kysely'
import type { Database } from '../../lib/db/connect.ts'

/** The longest an attempt may hold a delivery: the POST's timeout, and room for a slow database on both sides of it. */
const LEASE_SECONDS = 60

/**
 * How many attempts at one endpoint may run at once over all consumers (about: two that lease in the same instant may
 * add up). Fewer than a consumer's slots, so that an endpoint that hangs leaves room for the others.
 */
const ENDPOINT_SLOTS = 3

/** A delivery that is ours until its lease ends. The secrets are sealed; `previous_secret` is null outside a rotation. */
export interface LeasedDelivery {
  event_id: string
  endpoint_id: string
  paywall_id: string
  type: string
  body: string
  attempts: number
  url: string
  secret: string
  previous_secret: string | null
  is_test: boolean
  /** The host of `url`, if it is a paywall's own domain. */
  own_domain: string | null
}

/**
 * Takes up to `count` due deliveries for `holder`, one turn an endpoint before the second of any, and counts the attempt.
 * `waiting` walks from endpoint to endpoint over the index, so that a long queue at one of them costs the others nothing.
 *
 * In order: a delivery is due only when it is the first that waits at its endpoint about its member (one about a guest
 * waits for none). Looking at those other rows without a lock is sound, because what it relies on never changes back:
 * sequences are given out under the member's row lock, so an earlier delivery is visible whenever a later one is, and a
 * finished one stays finished.
 * Once: the row itself is locked and its conditions are read again under the lock, so of two consumers one has it.
 */
export async function leaseDeliveries(db: Database, holder: string, count: number): Promise<LeasedDelivery[]> {
  const { rows } = await sql<LeasedDelivery>`
    with recursive waiting as (
      (select endpoint_id from deliveries where state = 'pending' order by endpoint_id limit 1)
      union all
      select (
        select d.endpoint_id from deliveries d
        where d.state = 'pending' and d.endpoint_id > waiting.endpoint_id
        order by d.endpoint_id limit 1
      ) from waiting where waiting.endpoint_id is not null
    ), due as (
      select head.event_id, head.endpoint_id,
        row_number() over (partition by head.endpoint_id order by head.next_attempt_at) as turn
      from waiting
      join webhook_endpoints e on e.id = waiting.endpoint_id and e.disabled_at is null
      cross join lateral (
        select d.event_id, d.endpoint_id, d.next_attempt_at
        from deliveries d
        where d.endpoint_id = e.id and d.state = 'pending' and d.next_attempt_at <= now()
          and (d.user_id is null or d.sequence = (
            select min(about.sequence) from deliveries about
            where (about.endpoint_id, about.paywall_id, about.user_id) = (d.endpoint_id, d.paywall_id, d.user_id)
              and about.state = 'pending'
          ))
        order by d.next_attempt_at limit ${ENDPOINT_SLOTS}::int
      ) head
    ), picked as (
      select d.event_id, d.endpoint_id
      from due
      join deliveries d using (event_id, endpoint_id)
      where d.state = 'pending' and d.next_attempt_at <= now() and (d.locked_until is null or d.locked_until <= now())
      order by due.turn, d.next_attempt_at
      limit ${count}::int
      for update of d skip locked
    ), leased as (
      update deliveries d set
        holder = ${holder}::uuid,
        locked_until = now() + make_interval(secs => ${LEASE_SECONDS}::int),
        attempts = d.attempts + 1
      from picked
      where (d.event_id, d.endpoint_id) = (picked.event_id, picked.endpoint_id)
      returning d.event_id, d.endpoint_id, d.attempts
    )
    select leased.event_id, leased.endpoint_id, leased.attempts, event.paywall_id, event.type, event.body,
      endpoint.url, endpoint.secret, paywall.is_test,
      (select domain from paywalls
       where domain = rtrim(lower(substring(endpoint.url from '^https?://([^/:?#]+)')), '.')) as own_domain,
      case when endpoint.previous_secret_until > now() then endpoint.previous_secret end as previous_secret
    from leased
    join events event on event.id = leased.event_id
    join webhook_endpoints endpoint on endpoint.id = leased.endpoint_id
    join paywalls paywall on paywall.id = event.paywall_id
  `.execute(db)
  return rows
}
