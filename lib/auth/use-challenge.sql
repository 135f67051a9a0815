-- Compares a mailed code with that of its challenge, and counts the guess. `paywall_id`: null for the console. The right code uses up all
-- remaining guesses, so of concurrent calls no more than the limit are compared, and only one of them is right. Locks the challenge.
create function use_challenge(
  paywall_id text, email text, challenge_hash text, code_hash text, max_guesses integer, out is_right boolean, out restores boolean
) language plpgsql as $$
declare
  challenge sign_in_challenges;
begin
  select * into challenge from sign_in_challenges c
  where c.challenge_hash = use_challenge.challenge_hash
    and c.paywall_id is not distinct from use_challenge.paywall_id and c.email = use_challenge.email
    and c.guesses < max_guesses and c.expires_at > now()
  for update;
  is_right := found and challenge.code_hash = use_challenge.code_hash;
  restores := challenge.restores;
  update sign_in_challenges c set guesses = case when is_right then max_guesses else c.guesses + 1 end
  where c.challenge_hash = challenge.challenge_hash;
end $$;
