-- Signs in the user of an address whose mailed code is right and comes with the nonce of the call that asked for it, whose hash is
-- `request_hash`. A long code needs no nonce: then `request_hash` is the code's. `token_audience` is for whom the token was that
-- came with the call, and `anonymous_id` its user, if that was an anonymous one. A token of another owner or of the other mode is
-- refused as `bad_token`, and nothing is tried. If the mail offered to bring back what anonymous users have bought with the address,
-- and the user wants it (`restore`), the user has that from now on.
--
-- Locks the code's row first, which counts the tries, then the budgets of guesses if it takes from them, then the users whom
-- lock_restorable and user_of_address lock. The right code uses up all tries that are left. Of many calls at once therefore no
-- more than the limit are compared, and one gets in. Verdicts: `signed_in`; `invalid_grant`; `bad_token`; `too_many_guesses`,
-- with the seconds after which the same call may be made again: nothing was compared, and the code is as good as before;
-- `unknown_paywall`.
create function sign_in_by_code(
  paywall_id text, host text, email text, request_hash text, code_hash text, code_tries integer, restore boolean,
  session_id uuid, token_hash text, token_days integer, anonymous_id uuid default null, token_audience text default null,
  network text default null
) returns jsonb language plpgsql security definer as $$
declare
  here constant record := find_paywall(paywall_id, host);
  code mailed_codes;
  is_first boolean;
  is_right boolean;
  wait interval;
  restored_ids uuid[] := '{}';
  signed_in_id uuid;
begin
  if here.id is null then return verdict('unknown_paywall'); end if;
  if token_audience <> audience(here.owner_id, here.is_test) then return verdict('bad_token'); end if;

  select * into code from mailed_codes c
  where c.request_hash = sign_in_by_code.request_hash
    and c.paywall_id = sign_in_by_code.paywall_id and c.email = sign_in_by_code.email
    and c.tries < code_tries and c.expires_at > now()
  for update;
  is_first := found and code.tries = 0;
  is_right := found and code.code_hash = sign_in_by_code.code_hash;

  -- The first try of a code is compared whoever has used up the budgets: others cannot lock out whoever types the right one.
  if not (is_first and is_right) then
    wait := take_guess(paywall_id, email, network);
    if wait is not null and not is_first then return verdict('too_many_guesses') || retry_after(wait); end if;
  end if;

  update mailed_codes c set tries = case when is_right then code_tries else c.tries + 1 end
  where c.request_hash = code.request_hash;
  if not is_right then return verdict('invalid_grant'); end if;
  if code.request_hash = code.code_hash then perform renew_long_code(paywall_id, email); end if;

  if code.restores and restore then restored_ids := lock_restorable(paywall_id, email, anonymous_id); end if;
  signed_in_id := user_of_address(paywall_id, email, anonymous_id);
  perform restore_users(restored_ids, signed_in_id);
  return begin_session(paywall_id, signed_in_id, session_id, token_hash, token_days);
end $$;
