-- How many seconds the delivery has been due that has waited longest, at a webhook endpoint that is enabled; null if none is due.
create function oldest_due() returns jsonb language sql stable security definer set enable_seqscan = off
as $$
  select to_jsonb(extract(epoch from now() - min(waiting.next_attempt_at))::double precision)
  from waiting_endpoints() waiting
  join webhook_endpoints e on e.id = waiting.endpoint_id
  where waiting.next_attempt_at <= now() and e.disabled_at is null
$$;

-- The webhook endpoints for which something is pending, disabled ones too, and when the first of it is due. Each step finds
-- the next of them in the index, so what it costs depends on how many these are, and not on how much is pending.
create function waiting_endpoints() returns table (endpoint_id uuid, next_attempt_at timestamptz) language sql stable as $$
  with recursive waiting as (
    (select d.endpoint_id, d.next_attempt_at from deliveries d
     where d.state = 'pending' and d.next_attempt_at is not null
     order by d.endpoint_id, d.next_attempt_at limit 1)
    union all
    select following.endpoint_id, following.next_attempt_at
    from waiting
    cross join lateral (
      select d.endpoint_id, d.next_attempt_at from deliveries d
      where d.state = 'pending' and d.next_attempt_at is not null and d.endpoint_id > waiting.endpoint_id
      order by d.endpoint_id, d.next_attempt_at limit 1
    ) following
  )
  select waiting.endpoint_id, waiting.next_attempt_at from waiting
$$;
