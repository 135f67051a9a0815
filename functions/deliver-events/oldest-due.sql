-- How many seconds the delivery has been due that has waited longest, at a webhook endpoint that is enabled; null if none is due.
create function oldest_due() returns jsonb language sql stable security definer as $$
  select to_jsonb(extract(epoch from now() - min(head.next_attempt_at))::double precision)
  from webhook_endpoints e
  cross join lateral (
    select d.next_attempt_at from deliveries d
    where d.endpoint_id = e.id and d.state = 'pending' and d.next_attempt_at <= now()
    order by d.next_attempt_at limit 1
  ) head
  where e.disabled_at is null
$$;
