import type pg from 'pg'

/** Webhook endpoints with pending deliveries. */
export interface PendingEndpoints {
  count: number
  /** For how many members each endpoint has a delivery. */
  members?: number
  /** How many attempts have failed since the last one that an endpoint accepted. */
  failures?: number
  disabled?: boolean
  /** The time until the deliveries are due. Default: none, they are due at once. */
  dueIn?: string
}

/** Inserts such webhook endpoints for an owner in the database, at addresses where no server listens. Returns their ids. */
export async function insertPendingEndpoints(
  client: Pick<pg.ClientBase, 'query'>,
  { count, members = 1, failures = 0, disabled = false, dueIn = '0' }: PendingEndpoints,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with paywall as (
      select id, owner_id, is_test from paywalls limit 1
    ), opened as (
      insert into webhook_endpoints (owner_id, is_test, url, secret, events, failures, disabled_at)
      select owner_id, is_test, 'https://' || gen_random_uuid() || '.example', 'x', '{ticket.created}', $2, case when $3 then now() end
      from paywall, generate_series(1, $1) returning id
    ), people as (
      insert into users (owner_id, is_test) select owner_id, is_test from paywall, generate_series(1, $4) returning id
    ), joined as (
      insert into members (paywall_id, user_id, owner_id, is_test)
      select paywall.id, people.id, owner_id, is_test from paywall, people
    ), happened as (
      insert into events (id, owner_id, is_test, paywall_id, user_id, sequence, type, body)
      select 'evt_' || replace(gen_random_uuid()::text, '-', ''), paywall.owner_id, paywall.is_test, paywall.id, people.id, 1, 'ticket.created', '{}'
      from paywall, people returning id, paywall_id, user_id
    )
    insert into deliveries (event_id, endpoint_id, paywall_id, user_id, sequence, next_attempt_at)
    select h.id, o.id, h.paywall_id, h.user_id, 1, now() + $5::interval - row_number() over () * interval '1 microsecond'
    from happened h, opened o
    returning endpoint_id as id`,
    [count, failures, disabled, members, dueIn],
  )
  return [...new Set(rows.map(({ id }) => id))]
}
