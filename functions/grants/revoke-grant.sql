-- Takes a grant back at once, for an owner. Locks the member and then the grant.
create function revoke_grant(key_hash text, paywall_id text, host text, grant_id text, reason text default null) returns jsonb
language plpgsql security definer as $$
declare
  gate record;
  ended jsonb;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal = 'unknown_key' then gate := open_team_gate(key_hash, paywall_id, host, 'end_access'); end if;
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  ended := end_grant(gate.owner_id, paywall_id, grant_id, ended_by => key_reference(key_hash), end_reason => reason);
  if ended ? 'reply' then
    perform record_team_act(key_hash, 'end_access', gate.is_test, grant_id, (ended #>> '{reply,user_id}')::uuid, reason);
  end if;
  return ended;
end $$;
