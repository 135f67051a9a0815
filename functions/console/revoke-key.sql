-- Revokes an owner key. Sessions that were created with it continue: `paywall users sign-out --key` ends them. Verdicts: `done`;
-- `unknown_key_id`.
create function revoke_key(session_hash text, key_id text, reason text default null) returns jsonb language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'revoke_key');
  revoked api_keys;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  update api_keys k set revoked_at = coalesce(k.revoked_at, now())
  where k.id = as_uuid(key_id) and k.owner_id = gate.owner_id returning * into revoked;
  if not found then return verdict('unknown_key_id'); end if;
  perform record_act(gate.owner_id, gate.email, gate.role, 'revoke_key', revoked.is_test, revoked.name, null, reason);
  return verdict('done');
end $$;
