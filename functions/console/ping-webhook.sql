-- Sends a test event to a webhook endpoint: see ping-webhook-endpoint.sql.
create function ping_webhook(session_hash text, is_test boolean, endpoint_id text) returns jsonb language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'ping_webhook');
  result jsonb;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  result := ping_webhook_endpoint(gate.owner_id, is_test, endpoint_id);
  if result ->> 'verdict' <> 'sent' then return result; end if;
  perform record_act(gate.owner_id, gate.email, gate.role, 'ping_webhook', is_test, result ->> 'url');
  return result;
end $$;
