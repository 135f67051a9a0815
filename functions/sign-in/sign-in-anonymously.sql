-- Creates a user of the paywall's owner without an e-mail address, and signs it in. The user is deleted if it does not come back, has bought
-- nothing, and got nothing: see purge_users. Such users cost nothing to create, so they are limited per network; without a `network` nothing
-- is counted.
--
-- Calls with one Idempotency-Key have the same session and token. The first starts the session; the others, for five minutes and while its
-- token is the latest, get the same user. A concurrent one waits for the first at the rate limit or the session's id; what it has created
-- and consumed itself is rolled back. Verdicts: `signed_in`; `too_many_users`, with the seconds until one more can be created;
-- `invalid_grant`; `unknown_paywall`.
create function sign_in_anonymously(
  paywall_id text, host text, session_id uuid, token_hash text, token_days integer, network text default null
) returns jsonb language plpgsql security definer as $$
declare
  here constant record := find_paywall(paywall_id, host);
  wait interval;
  user_id uuid;
begin
  if here.id is null then return verdict('unknown_paywall'); end if;

  if network is not null then wait := consume('anonymous', 'network:' || network, 1, 300, '1 hour'); end if;
  if wait is not null then
    return coalesce(
      repeated_sign_in(paywall_id, session_id, token_hash), verdict('too_many_users') || retry_after(wait));
  end if;
  insert into users as u (owner_id, is_test, purge_at)
  values (here.owner_id, here.is_test, now() + interval '30 days') returning u.id into user_id;
  insert into members (paywall_id, user_id, owner_id, is_test) values (paywall_id, user_id, here.owner_id, here.is_test);
  return begin_session(paywall_id, user_id, session_id, token_hash, token_days);
exception when unique_violation then
  return coalesce(repeated_sign_in(paywall_id, session_id, token_hash), verdict('invalid_grant'));
end $$;

-- The result of the first call with the key; null if there was none, or if it is no longer replayed.
create function repeated_sign_in(paywall_id text, session_id uuid, token_hash text) returns jsonb language plpgsql stable as $$
declare
  repeatable constant interval := '5 minutes';
begin
  return sign_in_result(paywall_id, (
    select s.user_id from sign_in_sessions s
    where (s.id, s.paywall_id, s.token_hash) = (session_id, repeated_sign_in.paywall_id, repeated_sign_in.token_hash)
      and s.ended_at is null and s.created_at > now() - repeatable)) || '{"replayed": true}';
end $$;
