-- Records the result of an attempt, with the beginning of the response, and ends its lease. `recorded` is false if `holder` no longer has
-- the lease of that attempt: whoever took it over records its own result. Idempotent: a repeat after a lost response changes nothing and
-- returns the same, because the row has no holder and the same number of attempts until the next attempt starts.
--
-- A pending delivery is retried in `retry_in_seconds`. A finished one, delivered or failed, makes the next delivery about its member due at
-- once. A webhook endpoint that is gone is disabled; its deliveries stay pending, and are sent in order once the owner enables it again.
create function record_delivery(
  event_id text, endpoint_id uuid, holder uuid, attempts integer, state text, retry_in_seconds double precision,
  disable boolean, milliseconds integer, status integer default null, error text default null, response text default null
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

  insert into delivery_attempts (
    owner_id, event_id, endpoint_id, attempt, attempted_at, milliseconds, status, error, response)
  select e.owner_id, e.id, record_delivery.endpoint_id, (
      -- Not deliveries.attempts, which begins again when the event is replayed.
      select coalesce(max(a.attempt), 0) + 1 from delivery_attempts a
      where (a.owner_id, a.event_id, a.endpoint_id) = (e.owner_id, e.id, record_delivery.endpoint_id)),
    now() - make_interval(secs => milliseconds / 1000.0), milliseconds, status, error,
    case when e.purge_at is not null then response end -- else it was redacted, as when its person was erased
  from events e where e.id = record_delivery.event_id;

  if finished then perform make_next_due(delivery); end if;
  update webhook_endpoints e
  set failures = case when record_delivery.state = 'delivered' then 0 else e.failures + 1 end,
    disabled_at = case when disable then coalesce(e.disabled_at, now()) else e.disabled_at end
  where e.id = delivery.endpoint_id and (record_delivery.state <> 'delivered' or e.failures > 0);
  return jsonb_build_object('recorded', true, 'next_attempt_at', iso(delivery.next_attempt_at));
end $$;

-- Makes what waited for a finished delivery due: the next one about its member, or else the events which report that this member was merged
-- into others. A concurrent call that queues another one about the same member either waited for the finished one's row lock, or had it
-- before us and has committed: see has_pending_delivery.
create function make_next_due(finished deliveries) returns void language plpgsql as $$
declare
  into_id uuid;
begin
  perform make_first_due(finished.endpoint_id, finished.paywall_id, finished.user_id);
  for into_id in
    select d.user_id from deliveries d
    where d.endpoint_id = finished.endpoint_id and d.paywall_id = finished.paywall_id and d.merged_user_id = finished.user_id
      and d.state = 'pending'
  loop
    perform make_first_due(finished.endpoint_id, finished.paywall_id, into_id);
  end loop;
end $$;
