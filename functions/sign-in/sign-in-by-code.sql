-- Signs in the user of an address whose mailed code is right. `token_audience` is for whom the token was that came with the
-- call, and `anonymous_id` its user, if that was an anonymous one. A token of another owner is refused as `bad_token`, and
-- nothing is tried.
--
-- Locks the code's row first, which counts the tries, and then whom user_of_address locks. The right code uses up all tries
-- that are left. Of many calls at once therefore no more than the limit are compared, and one gets in.
create function sign_in_by_code(
  paywall_id text, host text, email text, code_hash text, code_tries integer,
  session_id uuid, token_hash text, token_days integer, anonymous_id uuid default null, token_audience text default null
) returns jsonb language plpgsql security definer as $$
declare
  owner_id constant uuid := (select p.owner_id from find_paywall(paywall_id, host) p);
  code sign_in_codes;
begin
  if owner_id is null then return verdict('unknown_paywall'); end if;
  if not is_audience(token_audience, owner_id, paywall_id) then return verdict('bad_token'); end if;

  select * into code from sign_in_codes c
  where c.paywall_id = sign_in_by_code.paywall_id and c.email = sign_in_by_code.email
    and c.tries < code_tries and c.expires_at > now()
  for update;
  if not found then return verdict('invalid_grant'); end if;
  if code.code_hash <> code_hash then
    update sign_in_codes c set tries = c.tries + 1 where c.paywall_id = code.paywall_id and c.email = code.email;
    return verdict('invalid_grant');
  end if;

  update sign_in_codes c set tries = code_tries where c.paywall_id = code.paywall_id and c.email = code.email;
  return begin_session(
    paywall_id, user_of_address(owner_id, paywall_id, email, anonymous_id), session_id, token_hash, token_days);
end $$;
