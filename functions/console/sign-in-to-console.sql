-- Signs in to the console with a mailed code: a new session, for the first owner in whose team the address is. Locks the challenge. Verdicts:
-- `signed_in`; `invalid_code`.
create function sign_in_to_console(
  email text, challenge_hash text, code_hash text, max_guesses integer, session_hash text
) returns jsonb language plpgsql security definer as $$
declare
  used constant record := use_challenge(null, email, challenge_hash, code_hash, max_guesses);
  owner_id uuid;
begin
  if not used.is_right then return verdict('invalid_code'); end if;
  owner_id := (select o from owners_of_member(email) o limit 1);
  if owner_id is null then return verdict('invalid_code'); end if;
  insert into console_sessions (token_hash, owner_id, email, expires_at, confirmed_until)
  values (session_hash, owner_id, email, now() + console_session_lifetime(), now() + confirmation_lifetime());
  return verdict('signed_in');
end $$;

create function console_session_lifetime() returns interval language sql immutable as $$ select interval '12 hours' $$;

-- How long a session may do what requires a code, after one was entered.
create function confirmation_lifetime() returns interval language sql immutable as $$ select interval '10 minutes' $$;
