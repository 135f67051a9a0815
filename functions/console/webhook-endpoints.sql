-- An owner's webhook endpoints of one mode, with their health, those that are enabled first. Deliveries are counted up to `most`. Who may
-- see them is decided by the caller.
create function webhook_endpoints_json(owner_id uuid, is_test boolean) returns jsonb language plpgsql stable
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  most constant integer := 1000;
begin
  return jsonb_build_object('most', most, 'endpoints', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', w.id, 'url', w.url, 'events', w.events, 'created_at', iso(w.created_at), 'failures', w.failures,
      'disabled_at', iso(w.disabled_at), 'held_until', case when w.held_until > now() then iso(w.held_until) end,
      'is_secret_generated', w.is_secret_generated,
      'previous_secret_until', case when w.previous_secret_until > now() then iso(w.previous_secret_until) end,
      'pending', (
        select count(*) from (select from deliveries d where d.endpoint_id = w.id and d.state = 'pending' limit most) d),
      'failed', (
        select count(*) from (select from deliveries d where d.endpoint_id = w.id and d.state = 'failed' limit most) d)
    ) order by w.disabled_at is not null, w.url), '[]')
    from webhook_endpoints w where w.owner_id = webhook_endpoints_json.owner_id and w.is_test = webhook_endpoints_json.is_test));
end $$;

-- Enables or disables a webhook endpoint, and returns it; all null if the owner has no such endpoint. Its pending deliveries wait while it is
-- disabled.
create function enable_webhook_endpoint(owner_id uuid, is_test boolean, endpoint_id text, enabled boolean) returns webhook_endpoints
language plpgsql as $$
declare
  changed webhook_endpoints;
begin
  update webhook_endpoints w
  set disabled_at = case when not enabled then coalesce(w.disabled_at, now()) end, failures = case when enabled then 0 else w.failures end
  where w.id = as_uuid(endpoint_id) and w.owner_id = enable_webhook_endpoint.owner_id and w.is_test = enable_webhook_endpoint.is_test
  returning * into changed;
  return changed;
end $$;
