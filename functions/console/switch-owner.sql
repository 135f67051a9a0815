-- Shows the console of another owner in whose team the signed-in person is. Verdicts: `switched`; `signed_out`; `not_permitted`.
create function switch_owner(session_hash text, owner_id text) returns jsonb language plpgsql security definer as $$
declare
  session console_sessions;
begin
  select * into session from console_sessions s where s.token_hash = session_hash and s.expires_at > now() for update;
  if not found then return verdict('signed_out'); end if;
  if team_role(as_uuid(owner_id), session.email) is null then return verdict('not_permitted'); end if;
  update console_sessions s set owner_id = as_uuid(switch_owner.owner_id) where s.token_hash = session_hash;
  return verdict('switched');
end $$;
