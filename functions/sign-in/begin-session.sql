-- Starts a session with its first refresh token, for a user locked by lock_as_member. `minted_by` is the owner key that requested it.
-- Returns the same as sign_in_result.
create function begin_session(
  paywall_id text, user_id uuid, session_id uuid, token_hash text, token_days integer, minted_by uuid default null
) returns jsonb language plpgsql as $$
begin
  insert into sign_in_sessions (id, paywall_id, user_id, token_hash, expires_at, minted_by)
  values (session_id, paywall_id, user_id, token_hash, now() + make_interval(days => token_days), minted_by);
  return sign_in_result(paywall_id, user_id);
end $$;

-- Makes a user a member of a paywall of its owner, as ensure_member does, and locks the user's row: a merge then waits until the session
-- is committed, and ends it, too; it cannot see a session that is being inserted. False if the user does not exist or was merged.
create function lock_as_member(paywall_id text, user_id uuid) returns boolean language plpgsql as $$
begin
  perform from users u where u.id = user_id for share;
  if not found then return false; end if;
  return ensure_member(paywall_id, user_id);
end $$;

-- The verdict of a successful sign-in, with the audience of the access token and the user as responses show it.
create function sign_in_result(paywall_id text, user_id uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select verdict('signed_in') || jsonb_build_object('audience', audience(u.owner_id, u.is_test), 'user', jsonb_build_object(
      'id', u.id, 'email', u.email, 'external_id', u.external_id, 'created_at', iso(u.created_at), 'name', m.name))
    from users u join members m on m.user_id = u.id
    where u.id = sign_in_result.user_id and m.paywall_id = sign_in_result.paywall_id);
end $$;
