-- Takes up to `count` due deliveries for `holder`, one turn a webhook endpoint before the second of any, and counts the
-- attempt. What it gives is described by `LeasedDelivery` in leased-delivery.ts.
--
-- In order: of a member's pending deliveries at an endpoint only the first has a `next_attempt_at`, so only that can be due.
-- Once: the row itself is locked and its conditions are read again under the lock, so of two consumers one has it.
-- Nobody is in the way: `waiting` walks from endpoint to endpoint over the index of what is due, and an endpoint has few
-- slots at a time over all consumers (about: two that lease in the same instant may add up), of which a failing one has one.
create function lease_deliveries(holder uuid, count integer) returns jsonb language plpgsql security definer as $$
declare
  lease constant interval := '60 seconds'; -- the POST's timeout, and room for a slow database on both sides of it
  slots constant integer := 3;             -- fewer than a consumer has, so that an endpoint that hangs leaves room for others
  slots_if_failing constant integer := 1;
  leased jsonb;
begin
  with recursive waiting as (
    (select d.endpoint_id from deliveries d
     where d.state = 'pending' and d.next_attempt_at is not null order by d.endpoint_id limit 1)
    union all
    select (
      select d.endpoint_id from deliveries d
      where d.state = 'pending' and d.next_attempt_at is not null and d.endpoint_id > waiting.endpoint_id
      order by d.endpoint_id limit 1
    ) from waiting where waiting.endpoint_id is not null
  ), due as (
    select head.event_id, head.endpoint_id,
      row_number() over (partition by head.endpoint_id order by head.next_attempt_at) as turn
    from waiting
    join webhook_endpoints e on e.id = waiting.endpoint_id and e.disabled_at is null
    cross join lateral (
      select d.event_id, d.endpoint_id, d.next_attempt_at from deliveries d
      where d.endpoint_id = e.id and d.state = 'pending' and d.next_attempt_at <= now()
      order by d.next_attempt_at limit case when e.failures > 0 then slots_if_failing else slots end
    ) head
  ), picked as (
    select d.event_id, d.endpoint_id
    from due join deliveries d on d.event_id = due.event_id and d.endpoint_id = due.endpoint_id
    where d.state = 'pending' and d.next_attempt_at <= now() and (d.locked_until is null or d.locked_until <= now())
    order by due.turn, d.next_attempt_at limit count
    for update of d skip locked
  ), taken as (
    update deliveries d set holder = lease_deliveries.holder, locked_until = now() + lease, attempts = d.attempts + 1
    from picked where (d.event_id, d.endpoint_id) = (picked.event_id, picked.endpoint_id)
    returning d.event_id, d.endpoint_id, d.attempts, d.next_attempt_at
  )
  select coalesce(jsonb_agg(leased_delivery_json(taken.event_id, taken.endpoint_id, taken.attempts)
    order by taken.next_attempt_at), '[]') into leased
  from taken;
  return leased;
end $$;

-- A delivery with all that an attempt needs. The secrets are sealed.
create function leased_delivery_json(event_id text, endpoint_id uuid, attempts integer) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'event_id', event.id, 'endpoint_id', endpoint.id, 'attempts', attempts, 'paywall_id', event.paywall_id,
    'type', event.type, 'body', event.body, 'url', endpoint.url, 'secret', endpoint.secret, 'is_test', paywall.is_test,
    'previous_secret', case when endpoint.previous_secret_until > now() then endpoint.previous_secret end,
    'own_domain', (
      select p.domain from paywalls p
      where p.domain = rtrim(lower(substring(endpoint.url from '^https?://([^/:?#]+)')), '.')))
  from events event
  join webhook_endpoints endpoint on endpoint.id = leased_delivery_json.endpoint_id
  join paywalls paywall on paywall.id = event.paywall_id
  where event.id = leased_delivery_json.event_id
$$;
