-- Makes a user of the paywall's owner without an e-mail address, and signs it in. It is forgotten if it does not come back, has
-- bought nothing, and nothing was given to it: see forget_users.
create function sign_in_anonymously(
  paywall_id text, host text, session_id uuid, token_hash text, token_days integer
) returns jsonb language plpgsql security definer as $$
declare
  owner_id constant uuid := (select p.owner_id from find_paywall(paywall_id, host) p);
  user_id uuid;
begin
  if owner_id is null then return verdict('unknown_paywall'); end if;

  insert into users as u (owner_id, forget_at) values (owner_id, now() + interval '30 days') returning u.id into user_id;
  insert into members (paywall_id, user_id, owner_id) values (paywall_id, user_id, owner_id);
  return begin_session(paywall_id, user_id, session_id, token_hash, token_days);
end $$;
