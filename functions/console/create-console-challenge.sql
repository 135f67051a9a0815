-- Stores a code for signing in to the console, if the address is in a team: `is_known`. Whoever asks is told the same in both cases.
-- Verdicts: `created`; `too_many_mails`, with the seconds until one more can be sent. Without a `network` nothing is counted. Locks the rate
-- limits.
create function create_console_challenge(
  email text, challenge_hash text, code_hash text, code_minutes integer, network text default null
) returns jsonb language plpgsql security definer as $$
declare
  is_known constant boolean := exists (select from owners_of_member(email));
  wait interval;
begin
  if network is not null then
    wait := consume_mail('console', email, network, captcha_solved => false);
    if wait is not null then return verdict('too_many_mails') || retry_after(wait); end if;
  end if;
  if is_known then
    insert into sign_in_challenges (challenge_hash, email, code_hash, restores, expires_at)
    values (challenge_hash, email, code_hash, false, now() + make_interval(mins => code_minutes));
  end if;
  return verdict('created') || jsonb_build_object('is_known', is_known);
end $$;

-- The owners in whose team an address is, in the order in which they were added.
create function owners_of_member(email text) returns setof uuid language plpgsql stable as $$
begin
  return query
    select o.id from owners o
    where o.email = owners_of_member.email
      or exists (select from team_members t where t.owner_id = o.id and t.email = owners_of_member.email)
    order by o.created_at, o.id;
end $$;
