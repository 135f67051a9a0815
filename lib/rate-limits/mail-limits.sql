-- The rate limits of a mail to an address, each for an hour, in the order in which they are consumed. `scope`: the paywall's id, or `console`.
-- For what an attacker can do within them, see docs/security.md. With a solved captcha only the limits `solved mail` and
-- `all mail` apply.
create function mail_limits(scope text, email text, network text, captcha_solved boolean)
returns table (name text, key text, capacity bigint) language sql stable as $$
  select l.name, l.key, l.capacity from (values
    (false, 'address mail', address_key(scope, email, network), 5),
    (false, 'address mail', address_key(scope, email), 30),
    (false, 'network mail', 'network:' || network || ' paywall:' || scope, 100),
    (false, 'first mail', 'network:' || network || ' paywall:' || scope, 3),
    (false, 'paywall mail', 'paywall:' || scope, 5000),
    (true, 'solved mail', address_key(scope, email, network), 5),
    (captcha_solved, 'all mail', 'paywall:' || scope, 20000)
  ) l (by_captcha, name, key, capacity)
  where l.by_captcha = captcha_solved
$$;

-- Counts a mail in all of its limits, or in none. Null if it can be sent; else how long until the exhausted limit has room. A network's
-- first mails do not count towards the paywall's limit, so other networks cannot exhaust it for them.
create function consume_mail(scope text, email text, network text, captcha_solved boolean) returns interval
language plpgsql as $$
declare
  mail_limit record;
  wait interval;
  names text[] := '{}';
  keys text[] := '{}';
begin
  for mail_limit in select * from mail_limits(scope, email, network, captcha_solved) loop
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
