-- Makes a user of the paywall's owner without an e-mail address, and signs it in. It is forgotten if it does not come back, has
-- bought nothing, and nothing was given to it: see forget_users.
--
-- Calls of one attempt bring the same session and token. The first begins the session, and the others, for five minutes and while its
-- token is the latest, get the same user. One that comes at the same time waits for the first at the session's id, and what it has made
-- of its own is undone.
create function sign_in_anonymously(
  paywall_id text, host text, session_id uuid, token_hash text, token_days integer
) returns jsonb language plpgsql security definer as $$
declare
  owner_id constant uuid := (select p.owner_id from find_paywall(paywall_id, host) p);
  repeatable constant interval := '5 minutes';
  user_id uuid;
begin
  if owner_id is null then return verdict('unknown_paywall'); end if;

  insert into users as u (owner_id, forget_at) values (owner_id, now() + interval '30 days') returning u.id into user_id;
  insert into members (paywall_id, user_id, owner_id) values (paywall_id, user_id, owner_id);
  return begin_session(paywall_id, user_id, session_id, token_hash, token_days);
exception when unique_violation then
  select s.user_id into user_id from sign_in_sessions s
  where (s.id, s.paywall_id, s.token_hash) = (session_id, sign_in_anonymously.paywall_id, sign_in_anonymously.token_hash)
    and s.ended_at is null and s.created_at > now() - repeatable;
  return coalesce(sign_in_result(paywall_id, user_id), verdict('invalid_grant'));
end $$;
