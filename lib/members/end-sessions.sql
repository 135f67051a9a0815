-- Ends a user's sessions on all paywalls.
create function end_sessions(user_id uuid) returns void language plpgsql as $$
begin
  update sign_in_sessions s set ended_at = now()
  from members m
  where m.user_id = end_sessions.user_id and s.paywall_id = m.paywall_id and s.user_id = m.user_id and s.ended_at is null;
end $$;
