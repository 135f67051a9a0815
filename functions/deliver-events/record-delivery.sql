-- Writes down how an attempt ended, and ends its lease. `recorded` is false if `holder` no longer has the lease for that
-- attempt: whoever took it over decides. A repeat, as after an answer that was lost, does nothing and gives the same: as long
-- as no attempt has followed, the row has no holder and still counts as many attempts.
--
-- A pending delivery is tried again in `retry_in_seconds`. One that is finished, delivered or given up, lets the next about
-- its member go at once. A webhook endpoint that is gone is disabled; what waits for it stays pending, and goes out in order
-- once the owner enables it again.
create function record_delivery(
  event_id text, endpoint_id uuid, holder uuid, attempts integer, state text, retry_in_seconds double precision,
  disable boolean, status integer default null, error text default null
) returns jsonb language plpgsql security definer set enable_seqscan = off as $$
declare
  delivery deliveries;
  finished constant boolean := state <> 'pending';
begin
  update deliveries d set
    state = record_delivery.state,
    next_attempt_at = case when not finished then now() + make_interval(secs => retry_in_seconds) end,
    locked_until = null,
    holder = null,
    last_status = status,
    last_error = error,
    finished_at = case when finished then now() end
  where d.event_id = record_delivery.event_id and d.endpoint_id = record_delivery.endpoint_id
    and d.holder = record_delivery.holder and d.attempts = record_delivery.attempts and d.state = 'pending'
  returning d.* into delivery;
  if not found then
    select * into delivery from deliveries d
    where d.event_id = record_delivery.event_id and d.endpoint_id = record_delivery.endpoint_id
      and d.holder is null and d.attempts = record_delivery.attempts;
    return jsonb_build_object('recorded', found, 'next_attempt_at', iso(delivery.next_attempt_at));
  end if;

  if finished then perform make_next_due(delivery); end if;
  update webhook_endpoints e
  set failures = case when record_delivery.state = 'delivered' then 0 else e.failures + 1 end,
    disabled_at = case when disable then coalesce(e.disabled_at, now()) else e.disabled_at end
  where e.id = delivery.endpoint_id and (record_delivery.state <> 'delivered' or e.failures > 0);
  return jsonb_build_object('recorded', true, 'next_attempt_at', iso(delivery.next_attempt_at));
end $$;

-- Makes the first pending delivery behind a finished one due. Whoever is queueing one about the same member at this moment
-- waited for the finished one's row lock, or had it before us and has committed: see waits_behind.
create function make_next_due(finished deliveries) returns void language plpgsql as $$
begin
  update deliveries d set next_attempt_at = now()
  where d.endpoint_id = finished.endpoint_id and d.paywall_id = finished.paywall_id and d.user_id = finished.user_id
    and d.state = 'pending' and d.next_attempt_at is null
    and d.sequence = (
      select min(next.sequence) from deliveries next
      where (next.endpoint_id, next.paywall_id, next.user_id) = (finished.endpoint_id, finished.paywall_id, finished.user_id)
        and next.state = 'pending');
end $$;
