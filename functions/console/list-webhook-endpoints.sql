-- Lists the webhook endpoints of one mode, with their health.
create function list_webhook_endpoints(session_hash text, is_test boolean) returns jsonb language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_webhooks');
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role) || webhook_endpoints_json(gate.owner_id, is_test);
end $$;
