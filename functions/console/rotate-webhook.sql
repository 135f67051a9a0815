-- Gives a webhook endpoint a new secret: see rotate-webhook-secret.sql.
create function rotate_webhook(
  session_hash text, is_test boolean, endpoint_id text, url text, secret text, reason text
) returns jsonb language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'rotate_webhook');
  result jsonb;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  result := rotate_webhook_secret(gate.owner_id, is_test, endpoint_id, url, secret);
  if result ->> 'verdict' <> 'rotated' then return result; end if;
  perform record_act(gate.owner_id, gate.email, gate.role, 'rotate_webhook', is_test, url, null, reason);
  return result || viewer_json(gate.owner_id, gate.email, gate.role);
end $$;
