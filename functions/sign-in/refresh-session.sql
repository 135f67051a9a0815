-- Replaces a session's refresh token with the next one, which the caller derives from the presented one: the same token yields the same next
-- one. So the previous token stays valid for 30 seconds: two tabs that refresh at once, and a call that is repeated because its response was
-- lost, get the same next token. Any other token of the session was used before, so somebody has a copy: the session ends. A session ends 90
-- days after it began in any case.
--
-- Locks the session's row first. Of concurrent calls with the same token one replaces it, and the others see that it is replaced.
create function refresh_session(
  paywall_id text, host text, session_id uuid, presented_hash text, next_hash text, token_days integer
) returns jsonb language plpgsql security definer as $$
declare
  longest constant interval := '90 days';
  reuse constant interval := '30 seconds';
  session sign_in_sessions;
begin
  if (select p.id from find_paywall(paywall_id, host) p) is null then return verdict('unknown_paywall'); end if;

  select * into session from sign_in_sessions s
  where s.id = session_id and s.paywall_id = refresh_session.paywall_id and s.ended_at is null
    and s.expires_at > now() and s.created_at > now() - longest
  for update;
  if not found or is_merged(session.user_id) then -- the tokens of a merged user would be refused everywhere
    update sign_in_sessions s set ended_at = now() where s.id = session.id;
    return verdict(case when is_token_of_merged(paywall_id, session_id, presented_hash) then 'user_merged' else 'invalid_grant' end);
  end if;
  if session.token_hash = presented_hash then
    update sign_in_sessions s
    set token_hash = next_hash, previous_hash = presented_hash, replaced_at = now(),
      expires_at = least(now() + make_interval(days => token_days), s.created_at + longest)
    where s.id = session_id;
  elsif (session.previous_hash, session.token_hash) is distinct from (presented_hash, next_hash)
    or session.replaced_at <= now() - reuse
  then
    update sign_in_sessions s set ended_at = now() where s.id = session_id;
    return verdict('invalid_grant');
  end if;
  return sign_in_result(paywall_id, session.user_id);
end $$;

-- Whether this is the latest or the previous refresh token of a session that a merge has ended: only whoever has one learns of the merge.
create function is_token_of_merged(paywall_id text, session_id uuid, presented_hash text) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from sign_in_sessions s
    where s.id = session_id and s.paywall_id = is_token_of_merged.paywall_id
      and presented_hash in (s.token_hash, s.previous_hash) and is_merged(s.user_id));
end $$;
