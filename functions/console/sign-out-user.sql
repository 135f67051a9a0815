-- Ends all sessions of a user, on all paywalls of its owner and mode. Verdicts: `done`; `unknown_user_id`.
create function sign_out_user(
  session_hash text, is_test boolean, user_id text, reason text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'sign_out_user');
  subject users;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  select * into subject from users u
  where u.owner_id = gate.owner_id and u.is_test = sign_out_user.is_test and u.id = as_uuid(sign_out_user.user_id);
  if subject.id is null then return verdict('unknown_user_id'); end if;

  perform end_sessions(subject.id);
  perform record_act(gate.owner_id, gate.email, gate.role, 'sign_out_user', is_test, subject.id::text, subject.id, reason);
  return verdict('done');
end $$;
