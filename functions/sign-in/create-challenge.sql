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
