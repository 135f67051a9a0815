-- Makes a user of the paywall's owner without an e-mail address, and signs it in. It is forgotten if it does not come back, has
-- bought nothing, and nothing was given to it: see purge_users. Such users cost nothing to make, so a network's are limited;
-- without a `network` nothing is counted.
--
-- Calls with one Idempotency-Key bring the same session and token. The first begins the session, and the others, for five minutes and
-- while its token is the latest, get the same user. One that comes at the same time waits for the first at the rate limit or the
-- session's id, and what it has made and consumed of its own is undone. Verdicts: `signed_in`; `too_many_users`, with the seconds after which one more may be
-- made; `invalid_grant`; `unknown_paywall`.
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

-- What the first call with the key was answered; null if there was none, or its answer is not given again any more.
create function repeated_sign_in(paywall_id text, session_id uuid, token_hash text) returns jsonb language plpgsql stable as $$
declare
  repeatable constant interval := '5 minutes';
begin
  return sign_in_result(paywall_id, (
    select s.user_id from sign_in_sessions s
    where (s.id, s.paywall_id, s.token_hash) = (session_id, repeated_sign_in.paywall_id, repeated_sign_in.token_hash)
      and s.ended_at is null and s.created_at > now() - repeatable)) || '{"replayed": true}';
end $$;
