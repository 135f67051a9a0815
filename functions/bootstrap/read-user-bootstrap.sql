-- The structure of a paywall and the state of the token's user there; null if the user is not a member. Locks the member only if today's
-- top-up is due.
create function read_user_bootstrap(
  token_user_id uuid, token_audience text, token_session_id uuid, paywall_id text, host text
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  member record;
begin
  gate := open_user_gate(token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  member := find_topped_up_member(paywall_id, token_user_id, null, null, null, gate.settings);
  if member.refusal = 'unknown_user' then return verdict('unknown_user'); end if;

  return verdict('found') || jsonb_build_object(
    'paywall', structure_json(paywall_id, token_user_id),
    'user', case when member.refusal is null then
      (select jsonb_build_object('id', u.id, 'email', u.email) from users u where u.id = member.id)
        || member_state(paywall_id, member.id, gate.settings) end);
end $$;
