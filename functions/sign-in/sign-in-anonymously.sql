-- Makes a user without an e-mail address, on this paywall only, and signs it in. It is forgotten if it does not come back, has
-- bought nothing, and nothing was given to it: see forget_users.
create function sign_in_anonymously(
  paywall_id text, host text, session_id uuid, token_hash text, token_days integer
) returns jsonb language plpgsql security definer as $$
declare
  user_id uuid;
begin
  if (select p.id from find_paywall(paywall_id, host) p) is null then return verdict('unknown_paywall'); end if;

  insert into users as u (email, forget_at) values (null, now() + interval '30 days') returning u.id into user_id;
  insert into members (paywall_id, user_id) values (paywall_id, user_id);
  return begin_session(paywall_id, user_id, session_id, token_hash, token_days);
end $$;
