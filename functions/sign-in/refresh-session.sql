-- Replaces a session's refresh token by the next one. A token of the session that is not its latest was used before, so
-- somebody has a copy: the session ends, and its latest token with it.
--
-- Locks the session's row first. Of two calls at once with the same token the first is served, and the second ends the session.
create function refresh_session(
  paywall_id text, host text, session_id uuid, presented_hash text, next_hash text, token_days integer
) returns jsonb language plpgsql security definer as $$
declare
  session sign_in_sessions;
begin
  if (select p.id from find_paywall(paywall_id, host) p) is null then return verdict('unknown_paywall'); end if;

  select * into session from sign_in_sessions s
  where s.id = session_id and s.paywall_id = refresh_session.paywall_id and s.ended_at is null and s.expires_at > now()
  for update;
  if not found then return verdict('invalid_grant'); end if;
  if session.token_hash <> presented_hash then
    update sign_in_sessions s set ended_at = now() where s.id = session_id;
    return verdict('invalid_grant');
  end if;

  update sign_in_sessions s set token_hash = next_hash, expires_at = now() + make_interval(days => token_days)
  where s.id = session_id;
  return sign_in_result(paywall_id, session.user_id);
end $$;
