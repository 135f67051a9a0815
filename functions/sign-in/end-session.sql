-- Ends a session. Any of its refresh tokens may end it, even one that was already used. Verdicts: `ended`, even if the session does not
-- exist or has ended before; `unknown_paywall`. Locks the session's row.
create function end_session(paywall_id text, host text, session_id uuid) returns jsonb language plpgsql security definer as $$
begin
  if (select p.id from find_paywall(paywall_id, host) p) is null then return verdict('unknown_paywall'); end if;

  update sign_in_sessions s set ended_at = now()
  where s.id = session_id and s.paywall_id = end_session.paywall_id and s.ended_at is null;
  return verdict('ended');
end $$;
