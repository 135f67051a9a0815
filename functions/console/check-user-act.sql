-- Whether a session permits an act on a user, before the endpoint that does it is called: that checks it again. Verdicts: `permitted`;
-- `unknown_user_id`.
create function check_user_act(session_hash text, is_test boolean, user_id text, act text) returns jsonb
language plpgsql stable security definer as $$
declare
  gate constant record := open_console_act(session_hash, act);
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  if not exists (
    select from users u where u.owner_id = gate.owner_id and u.is_test = check_user_act.is_test and u.id = as_uuid(check_user_act.user_id)
  ) then
    return verdict('unknown_user_id');
  end if;
  return verdict('permitted');
end $$;
