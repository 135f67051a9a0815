-- Takes up to `count` due deliveries for `holder`, of which at most `failing_count` go to webhook endpoints that fail, and
-- counts the attempt. What it gives is described by `LeasedDelivery` in leased-delivery.ts.
--
-- In order: of a member's pending deliveries at a webhook endpoint only the first has a `next_attempt_at`, so only that can
-- be due. Once: the row itself is locked and its conditions are read again under the lock, so of two consumers one has it.
--
-- `enable_seqscan = off`, here and in the other crons' functions: a session keeps its plan, and one that was made while the
-- table was empty would read all of it.
create function lease_deliveries(holder uuid, count integer, failing_count integer) returns jsonb
language plpgsql security definer set enable_seqscan = off as $$
declare
  lease constant interval := '60 seconds'; -- the POST's timeout, and room for a slow database on both sides of it
  head record;
  attempt integer;
  leased jsonb := '[]';
begin
  for head in select * from next_heads(lease) loop
    exit when count = 0;
    continue when head.is_failing and failing_count = 0;
    perform from deliveries d
    where d.event_id = head.event_id and d.endpoint_id = head.endpoint_id
      and d.state = 'pending' and d.next_attempt_at <= now() and (d.locked_until is null or d.locked_until <= now())
    for update skip locked;
    continue when not found;

    update deliveries d set holder = lease_deliveries.holder, locked_until = now() + lease, attempts = d.attempts + 1
    where d.event_id = head.event_id and d.endpoint_id = head.endpoint_id
    returning d.attempts into attempt;
    leased := leased || leased_delivery_json(head.event_id, head.endpoint_id, attempt, head.is_failing);
    count := count - 1;
    if head.is_failing then failing_count := failing_count - 1; end if;
  end loop;
  return leased;
end $$;

-- The due deliveries that may be leased now: one turn a webhook endpoint before the second of any.
--
-- Nobody is in the way. Only the first few of a webhook endpoint are looked at, however many wait there, and these few are
-- its slots over all consumers (about: two that lease in the same instant may add up). One that fails has one slot: its last
-- attempt failed, or one that is under way has not been answered for a second, so it may hang. The turns of a round are taken
-- in random order, so that those who have waited for hours do not keep out those who have waited for seconds.
create function next_heads(lease interval) returns table (event_id text, endpoint_id uuid, is_failing boolean)
language sql volatile as $$
  with candidates as (
    select e.id, e.failures > 0 as has_failed, row_number() over (partition by e.failures > 0 order by random()) as place
    from waiting_endpoints() waiting
    join webhook_endpoints e on e.id = waiting.endpoint_id
    where waiting.next_attempt_at <= now() and e.disabled_at is null
  ), heads as (
    select head.*, candidates.place,
      candidates.has_failed or coalesce(
        bool_or(head.locked_until between now() and now() + lease - interval '1 second') over (partition by candidates.id),
        false) as is_failing,
      row_number() over (partition by candidates.id order by head.next_attempt_at) as turn
    from candidates
    cross join lateral (
      select d.event_id, d.endpoint_id, d.next_attempt_at, d.locked_until from deliveries d
      where d.endpoint_id = candidates.id and d.state = 'pending' and d.next_attempt_at <= now()
      order by d.next_attempt_at limit 3
    ) head
    where candidates.place <= 50
  )
  select heads.event_id, heads.endpoint_id, heads.is_failing from heads
  where (heads.locked_until is null or heads.locked_until <= now()) and (heads.turn = 1 or not heads.is_failing)
  order by heads.turn, heads.place
$$;

-- A delivery with all that an attempt needs. The secrets are sealed.
create function leased_delivery_json(event_id text, endpoint_id uuid, attempts integer, is_failing boolean) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'event_id', event.id, 'endpoint_id', e.id, 'attempts', attempts, 'is_failing', is_failing,
    'paywall_id', event.paywall_id, 'type', event.type, 'body', event.body, 'url', e.url,
    'secret', e.secret, 'is_test', paywall.is_test,
    'previous_secret', case when e.previous_secret_until > now() then e.previous_secret end,
    'own_domain', (
      select p.domain from paywalls p
      where p.domain = rtrim(lower(substring(e.url from '^https?://([^/:?#]+)')), '.')))
  from events event
  join webhook_endpoints e on e.id = leased_delivery_json.endpoint_id
  join paywalls paywall on paywall.id = event.paywall_id
  where event.id = leased_delivery_json.event_id
$$;
