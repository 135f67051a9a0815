-- Stores a new sign-in code for an address. It works only with its challenge, which only the caller has: so nobody else can use up its
-- guesses, and codes that others request do not affect it. `restores`: anonymous users have bought with the address, so the mail offers to
-- restore that, and the code does.
--
-- Counts the mail; without a `network` nothing is counted. `captcha_solved`: the caller has solved a captcha. Verdicts: `created`;
-- `too_many_mails`, with the seconds until one more can be sent and, if a solved captcha would help now, the paywall's Turnstile keys;
-- `unknown_paywall`. Nothing depends on whether a user has the address. Locks the rate limits.
create function create_challenge(
  paywall_id text, host text, email text, challenge_hash text, code_hash text, code_minutes integer,
  network text default null, captcha_solved boolean default false
) returns jsonb language plpgsql security definer as $$
declare
  paywall record;
  wait interval;
  restores boolean;
begin
  select p.id, p.owner_id, p.name into paywall
  from paywalls p where p.id = (select f.id from find_paywall(paywall_id, host) f);
  if paywall.id is null then return verdict('unknown_paywall'); end if;

  if network is not null then wait := consume_mail(paywall_id, email, network, captcha_solved); end if;
  if wait is not null then
    return verdict('too_many_mails') || retry_after(wait) || jsonb_build_object('captcha', (
      select jsonb_build_object('site_key', k.site_key, 'secret_key', k.secret_key) from turnstile_keys k
      where (k.owner_id, k.paywall_id) = (paywall.owner_id, paywall.id)
        and not exists (
          select from mail_limits(paywall.id, email, network, captcha_solved => true) l
          where wait_for_refill(l.name, l.key, 1, l.capacity, '1 hour') is not null)));
  end if;

  restores := exists (select from restorable_users(paywall_id, email));
  insert into sign_in_challenges (challenge_hash, paywall_id, email, code_hash, restores, expires_at)
  values (challenge_hash, paywall_id, email, code_hash, restores, now() + make_interval(mins => code_minutes));
  return verdict('created') || jsonb_build_object('paywall_name', paywall.name, 'restores', restores);
end $$;

-- The rate limits of a mail to an address, each for an hour and on one paywall, in the order in which they are consumed.
-- For what an attacker can do within them, see docs/security.md. With a solved captcha only the limits `solved mail` and
-- `all mail` apply.
create function mail_limits(paywall_id text, email text, network text, captcha_solved boolean)
returns table (name text, key text, capacity bigint) language sql stable as $$
  select l.name, l.key, l.capacity from (values
    (false, 'address mail', address_key(paywall_id, email, network), 5),
    (false, 'address mail', address_key(paywall_id, email), 30),
    (false, 'network mail', 'network:' || network || ' paywall:' || paywall_id, 100),
    (false, 'first mail', 'network:' || network || ' paywall:' || paywall_id, 3),
    (false, 'paywall mail', 'paywall:' || paywall_id, 5000),
    (true, 'solved mail', address_key(paywall_id, email, network), 5),
    (captcha_solved, 'all mail', 'paywall:' || paywall_id, 20000)
  ) l (by_captcha, name, key, capacity)
  where l.by_captcha = captcha_solved
$$;

-- Counts a mail in all of its limits, or in none. Null if it can be sent; else how long until the exhausted limit has room. A network's
-- first mails do not count towards the paywall's limit, so other networks cannot exhaust it for them.
create function consume_mail(paywall_id text, email text, network text, captcha_solved boolean) returns interval
language plpgsql as $$
declare
  mail_limit record;
  wait interval;
  names text[] := '{}';
  keys text[] := '{}';
begin
  for mail_limit in select * from mail_limits(paywall_id, email, network, captcha_solved) loop
    continue when mail_limit.name = 'paywall mail' and 'first mail' = any (names);
    wait := consume(mail_limit.name, mail_limit.key, 1, mail_limit.capacity, '1 hour');
    if wait is null then
      names := names || mail_limit.name;
      keys := keys || mail_limit.key;
    elsif mail_limit.name <> 'first mail' then
      perform refund(consumed.name, consumed.key, 1) from unnest(names, keys) consumed (name, key);
      return wait;
    end if;
  end loop;
  return null;
end $$;
