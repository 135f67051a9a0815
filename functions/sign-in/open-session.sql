-- Opens a session with its first refresh token. Gives the user as the answers of sign-in show it.
create function open_session(
  paywall_id text, user_id uuid, session_id uuid, token_hash text, token_days integer
) returns jsonb language plpgsql as $$
begin
  insert into sign_in_sessions (id, paywall_id, user_id, token_hash, expires_at)
  values (session_id, paywall_id, user_id, token_hash, now() + make_interval(days => token_days));
  return signed_in(paywall_id, user_id);
end $$;

-- A user as the answers of sign-in show it.
create function signed_in(paywall_id text, user_id uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select verdict('signed_in') || jsonb_build_object('user',
      jsonb_build_object('id', u.id, 'email', u.email, 'created_at', iso(u.created_at), 'name', m.name))
    from users u join members m on m.user_id = u.id
    where u.id = signed_in.user_id and m.paywall_id = signed_in.paywall_id);
end $$;
