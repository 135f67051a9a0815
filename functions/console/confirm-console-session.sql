-- Lets a session do what requires a code, for a while, after the right code for its own address. Locks the challenge, then the session.
-- Verdicts: `confirmed`; `invalid_code`; `signed_out`.
create function confirm_console_session(
  session_hash text, challenge_hash text, code_hash text, max_guesses integer
) returns jsonb language plpgsql security definer as $$
declare
  email constant text := (select s.email from console_sessions s where s.token_hash = session_hash and s.expires_at > now());
  used record;
begin
  if email is null then return verdict('signed_out'); end if;
  used := use_challenge(null, email, challenge_hash, code_hash, max_guesses);
  if not used.is_right then return verdict('invalid_code'); end if;
  update console_sessions s set confirmed_until = now() + confirmation_lifetime() where s.token_hash = session_hash;
  return verdict('confirmed');
end $$;
