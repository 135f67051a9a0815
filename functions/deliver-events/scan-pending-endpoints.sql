-- The webhook endpoints for which something is pending are scanned in the order of their ids, some steps at a time: behind the
-- last comes the first.
--
-- These are in SQL because they are inlined: a set-returning function that is `stable` and sets nothing becomes part of the
-- statement that selects from it. It is planned with that one, and no further than that one reads.

-- Scans from behind `after` up to `until`, all round if they are the same, in `steps` steps at most. Gives a row for each
-- webhook endpoint that is enabled and not held and has something due, with the time since when. If all `steps` were made it gives one for
-- the last of them, too, even if nothing is due there: the next scan goes on from it.
create function scan_pending_endpoints(after uuid, until uuid, steps integer)
returns table (id uuid, is_due boolean, due_since timestamptz, has_failed boolean, is_last_step boolean)
language sql stable as $$
  select walked.endpoint_id, e.is_due, case when e.is_due then walked.next_attempt_at end, e.has_failed, walked.step = steps
  from (
    select ring.endpoint_id, ring.next_attempt_at, row_number() over () as step
    from (
      select * from endpoints_with_pending(after, case when after < until then until else max_uuid() end)
      union all
      select * from endpoints_with_pending(min_uuid(), until) where after >= until
      limit steps
    ) ring
  ) walked
  left join lateral (
    select true as is_due, w.failures > 0 as has_failed from webhook_endpoints w
    where w.id = walked.endpoint_id and w.disabled_at is null and (w.held_until is null or w.held_until <= now())
      and walked.next_attempt_at <= now() limit 1
  ) e on true
  where e.is_due or walked.step = steps
$$;

-- The webhook endpoints behind `after` up to `until` for which something is pending, disabled ones too, and when the first of
-- it is due. Each step finds the next of them in the index, so what it costs depends on how many these are, and not on how
-- much is pending.
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

-- Before and behind all ids of webhook endpoints: these are random, and neither of them is.
create function min_uuid() returns uuid language sql immutable as $$ select '00000000-0000-0000-0000-000000000000'::uuid $$;
create function max_uuid() returns uuid language sql immutable as $$ select 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid $$;
