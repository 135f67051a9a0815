-- The scan of the webhook endpoints with pending deliveries, in the order of their ids, a limited number of steps at a time. It wraps
-- around after the last id.
--
-- These functions are written in SQL so that they are inlined: a `stable` set-returning function without settings becomes part of the
-- statement that selects from it, is planned with it, and reads no further than that statement does.

-- Scans from after `after` up to `until`, or everything if they are the same, in at most `steps` steps. Returns a row for each webhook
-- endpoint that is enabled, not held and has a due delivery, with the time since when it is due. If all `steps` were made it also returns a
-- row for the last endpoint, even if nothing is due there: the next scan continues from it.
create function scan_pending_endpoints(after uuid, until uuid, steps integer)
returns table (id uuid, is_due boolean, due_since timestamptz, has_failed boolean, is_last_step boolean)
language sql stable as $$
  select scanned.endpoint_id, e.is_due, case when e.is_due then scanned.next_attempt_at end, e.has_failed, scanned.step = steps
  from (
    select pending.endpoint_id, pending.next_attempt_at, row_number() over () as step
    from (
      select * from endpoints_with_pending(after, case when after < until then until else max_uuid() end)
      union all
      select * from endpoints_with_pending(min_uuid(), until) where after >= until
      limit steps
    ) pending
  ) scanned
  left join lateral (
    select true as is_due, w.failures > 0 as has_failed from webhook_endpoints w
    where w.id = scanned.endpoint_id and w.disabled_at is null and (w.held_until is null or w.held_until <= now())
      and scanned.next_attempt_at <= now() limit 1
  ) e on true
  where e.is_due or scanned.step = steps
$$;

-- The webhook endpoints after `after` up to `until` with pending deliveries, disabled ones too, and when the first of those is due. Each
-- step finds the next endpoint in the index, so the cost depends on the number of endpoints and not on the number of pending deliveries.
create function endpoints_with_pending(after uuid, until uuid) returns table (endpoint_id uuid, next_attempt_at timestamptz)
language sql stable as $$
  with recursive waiting as (
    (select d.endpoint_id, d.next_attempt_at from deliveries d
     where d.state = 'pending' and d.next_attempt_at is not null and d.endpoint_id > after and d.endpoint_id <= until
     order by d.endpoint_id, d.next_attempt_at limit 1)
    union all
    select following.endpoint_id, following.next_attempt_at
    from waiting
    cross join lateral (
      select d.endpoint_id, d.next_attempt_at from deliveries d
      where d.state = 'pending' and d.next_attempt_at is not null
        and d.endpoint_id > waiting.endpoint_id and d.endpoint_id <= until
      order by d.endpoint_id, d.next_attempt_at limit 1
    ) following
  )
  select waiting.endpoint_id, waiting.next_attempt_at from waiting
$$;

-- Lower and upper bound of the ids of webhook endpoints, which are random: no id equals either.
create function min_uuid() returns uuid language sql immutable as $$ select '00000000-0000-0000-0000-000000000000'::uuid $$;
create function max_uuid() returns uuid language sql immutable as $$ select 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid $$;
