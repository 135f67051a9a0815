-- Leases up to `count` due deliveries to `holder`, at most `failing_count` of them to failing webhook endpoints, and counts the attempts.
-- Returns a `Lease` of leased-delivery.ts.
--
-- It scans the webhook endpoints with pending deliveries in the order of their ids (scan-pending-endpoints.sql): those after `after` up to
-- `until`, a hundred at most. So the cost of a lease does not depend on how many are disabled, failing or not due. The next lease continues
-- where this one ended.
-- 1. Each endpoint that does not fail and has a due delivery gets one slot.
-- 2. The slots for failing endpoints, `failing_count` at most, go to some of the failing ones in this scan, chosen at random: one that has
--    been due for hours does not starve one that has been due for seconds.
-- 3. Remaining slots go to second deliveries of the endpoints of step 1, and to the `recent` ones, which had a slot in an earlier lease.
--
-- Ordering: of a member's pending deliveries at a webhook endpoint only the first has a `next_attempt_at`, so only that one can be due.
--
-- `enable_seqscan = off`, here and in the other crons' functions: a connection caches query plans, and a plan that was made while the table
-- was empty would scan all of it.
create function lease_deliveries(
  holder uuid, count integer, failing_count integer, after uuid, until uuid, recent uuid[]
) returns jsonb language plpgsql security definer set enable_seqscan = off as $$
declare
  steps constant integer := 100;
  webhook_endpoint record;
  delivery jsonb;
  leased jsonb := '[]';
  failing uuid[] := '{}';
  queue uuid[] := '{}'; -- endpoints that do not fail, for second deliveries
  id uuid;
  cursor uuid; -- null if the scan is complete
begin
  for webhook_endpoint in select * from scan_pending_endpoints(after, until, steps) loop
    if webhook_endpoint.has_failed then
      failing := failing || webhook_endpoint.id;
    elsif webhook_endpoint.is_due then
      delivery := lease_first_due(webhook_endpoint.id, false, holder);
      if delivery is not null then
        leased := leased || delivery;
        queue := queue || webhook_endpoint.id;
        count := count - 1;
      end if;
    end if;
    if webhook_endpoint.is_last_step or count <= least(failing_count, cardinality(failing)) then
      cursor := nullif(webhook_endpoint.id, until);
      exit;
    end if;
  end loop;

  for id in select * from unnest(failing) order by random() limit 10 loop
    exit when count = 0 or failing_count = 0;
    delivery := lease_first_due(id, true, holder);
    continue when delivery is null;
    leased := leased || delivery;
    count := count - 1;
    failing_count := failing_count - 1;
  end loop;

  queue := queue || recent;
  while count > 0 and cardinality(queue) > 0 loop
    delivery := lease_first_due(queue[1], false, holder);
    if delivery is not null then
      leased := leased || delivery;
      queue := queue || queue[1];
      count := count - 1;
    end if;
    queue := queue[2:];
  end loop;
  return jsonb_build_object('deliveries', leased, 'cursor', cursor);
end $$;

-- Leases the first due delivery of a webhook endpoint that is not leased yet. Null if there is none, or if no further attempt may start
-- there now: a webhook endpoint has at most three concurrent attempts over all runs, one if its last attempt failed, and no further one
-- while an attempt has been in flight for more than a second, since that one may hang.
--
-- The row is locked and its conditions are checked again under the lock, so exactly one of two consumers gets it.
create function lease_first_due(endpoint_id uuid, may_fail boolean, holder uuid) returns jsonb language plpgsql as $$
declare
  lease constant interval := '60 seconds'; -- the POST's timeout, and a margin for a slow database before and after it
  is_failing boolean;
  under_way integer;
  hangs boolean;
  free text[];
  head text;
  attempt integer;
begin
  select w.failures > 0 into is_failing from webhook_endpoints w
  where w.id = lease_first_due.endpoint_id and w.disabled_at is null and (w.held_until is null or w.held_until <= now());
  if not found or is_failing and not may_fail then return null; end if;

  select
    count(*) filter (where first.locked_until > now()),
    coalesce(bool_or(first.locked_until between now() and now() + lease - interval '1 second'), false),
    coalesce(array_agg(first.event_id order by first.next_attempt_at)
      filter (where first.locked_until is null or first.locked_until <= now()), '{}')
  into under_way, hangs, free
  from (
    select d.event_id, d.next_attempt_at, d.locked_until from deliveries d
    where d.endpoint_id = lease_first_due.endpoint_id and d.state = 'pending' and d.next_attempt_at <= now()
    order by d.next_attempt_at limit 3
  ) first;
  if hangs or is_failing and under_way > 0 then return null; end if;

  foreach head in array free loop
    perform from deliveries d
    where d.event_id = head and d.endpoint_id = lease_first_due.endpoint_id
      and d.state = 'pending' and d.next_attempt_at <= now() and (d.locked_until is null or d.locked_until <= now())
    for update skip locked;
    if found then
      update deliveries d
      set holder = lease_first_due.holder, locked_until = now() + lease, attempts = d.attempts + 1
      where d.event_id = head and d.endpoint_id = lease_first_due.endpoint_id
      returning d.attempts into attempt;
      return leased_delivery_json(head, endpoint_id, attempt, is_failing);
    end if;
    exit when is_failing;
  end loop;
  return null;
end $$;

-- A delivery with everything that an attempt needs. The secrets are encrypted.
create function leased_delivery_json(event_id text, endpoint_id uuid, attempts integer, is_failing boolean) returns jsonb
language plpgsql stable as $$
begin
  return (
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
    where event.id = leased_delivery_json.event_id);
end $$;
