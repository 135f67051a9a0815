-- Enables or disables a webhook endpoint. Verdicts: `done`; `unknown_endpoint`.
create function set_webhook_enabled(
  session_hash text, is_test boolean, endpoint_id text, enabled boolean, reason text default null
) returns jsonb language plpgsql security definer as $$
declare
  act constant text := case when enabled then 'enable_webhook' else 'disable_webhook' end;
  gate constant record := open_console_act(session_hash, act);
  changed webhook_endpoints;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  changed := enable_webhook_endpoint(gate.owner_id, is_test, endpoint_id, enabled);
  if changed.id is null then return verdict('unknown_endpoint'); end if;
  perform record_act(gate.owner_id, gate.email, gate.role, act, is_test, changed.url, null, reason);
  return verdict('done');
end $$;
