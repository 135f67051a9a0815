-- Signs in the user of an address if the mailed code is right and sent with its challenge. `token_audience` and `token_session_id` are those
-- of the token that came with the call, `anonymous_id` its user if that is an anonymous one. A token of another owner or the other mode is
-- refused as `bad_token` before the code is compared; one of a session that has ended is ignored. If the mail offered to restore purchases
-- that anonymous users made with the address, and `restore` is true, those users are merged into the user. `queued` is the
-- number of queued deliveries of `user.merged`.
--
-- Locks the challenge first, then the users that lock_restorable and ensure_user_with_email lock. Verdicts: `signed_in`; `invalid_grant`;
-- `bad_token`; `unknown_paywall`.
create function sign_in_by_code(
  paywall_id text, host text, email text, challenge_hash text, code_hash text, max_guesses integer, restore boolean,
  session_id uuid, token_hash text, token_days integer,
  anonymous_id uuid default null, token_audience text default null, token_session_id uuid default null
) returns jsonb language plpgsql security definer as $$
declare
  here constant record := find_paywall(paywall_id, host);
  used record;
  restored_ids uuid[] := '{}';
  signed_in record;
  queued integer;
begin
  if here.id is null then return verdict('unknown_paywall'); end if;
  if token_audience <> audience(here.owner_id, here.is_test) then return verdict('bad_token'); end if;
  anonymous_id := (
    select s.user_id from sign_in_sessions s
    where (s.id, s.user_id) = (token_session_id, anonymous_id) and s.ended_at is null);

  used := use_challenge(paywall_id, email, challenge_hash, code_hash, max_guesses);
  if not used.is_right then return verdict('invalid_grant'); end if;

  if used.restores and restore then restored_ids := lock_restorable(paywall_id, email, anonymous_id); end if;
  signed_in := ensure_user_with_email(paywall_id, email, anonymous_id);
  queued := signed_in.queued + restore_users(restored_ids, signed_in.known_id);
  return begin_session(paywall_id, signed_in.known_id, session_id, token_hash, token_days) || jsonb_build_object('queued', queued);
end $$;
