-- Lists the webhook endpoints of one mode, with their health. Deliveries are counted up to a limit.
create function list_webhook_endpoints(session_hash text, is_test boolean) returns jsonb language plpgsql stable security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  most constant integer := 1000;
  gate constant record := open_console(session_hash, 'read_webhooks');
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role) || jsonb_build_object('most', most, 'endpoints', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', w.id, 'url', w.url, 'events', w.events, 'created_at', iso(w.created_at), 'failures', w.failures,
      'disabled_at', iso(w.disabled_at), 'held_until', case when w.held_until > now() then iso(w.held_until) end,
      'pending', (
        select count(*) from (select from deliveries d where d.endpoint_id = w.id and d.state = 'pending' limit most) d),
      'failed', (
        select count(*) from (select from deliveries d where d.endpoint_id = w.id and d.state = 'failed' limit most) d)
    ) order by w.disabled_at is not null, w.url), '[]')
    from webhook_endpoints w where w.owner_id = gate.owner_id and w.is_test = list_webhook_endpoints.is_test));
end $$;
