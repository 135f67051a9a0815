import type pg from 'pg'

/** Webhook endpoints for which something waits. */
export interface Waiting {
  count: number
  /** At each of them, about so many members a delivery is due. */
  members?: number
  /** How many attempts failed there since the last that it took. */
  failures?: number
  disabled?: boolean
  /** When the deliveries are due: at once as a rule. */
  dueIn?: string
}

/** Makes them, of an owner that the database has. Their addresses are nobody's. Returns their ids. */
export async function waiting(
  client: Pick<pg.ClientBase, 'query'>,
  { count, members = 1, failures = 0, disabled = false, dueIn = '0' }: Waiting,
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
      insert into events (id, paywall_id, user_id, sequence, type, body)
      select 'evt_' || replace(gen_random_uuid()::text, '-', ''), paywall.id, people.id, 1, 'ticket.created', '{}'
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
