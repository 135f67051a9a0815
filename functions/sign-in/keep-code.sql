-- Keeps a new sign-in code for an address, with all its tries. It works only together with the nonce of the call that asked for
-- it, whose hash is `request_hash`: so nobody else can use it up, and codes that others ask for leave it as it is. If anonymous
-- users have bought with the address, `restores` says so: the mail offers to bring that back, and the code does.
--
-- Once others have used up the mails that an address, a network or the paywall has, a long code is kept instead, now and then: see
-- take_mail. Nobody can guess it, so it works without a nonce: its hash, `long_code_hash`, stands in the place of the nonce's.
--
-- Locks the budgets of mails that it takes from; without a `network` nothing is counted. Verdicts: `kept`; `too_many_codes`, with the
-- seconds after which a network or the paywall may have one more mailed; `unknown_paywall`. The first two come with the `mail`
-- that is to be sent, and the `minutes` that its code holds. After `too_many_codes` only somebody who has something here is mailed
-- one, lest a network mails to any number of strangers. Nothing else depends on whether there is such a user, and the same is
-- written for all, so that neither an answer nor its time tells.
create function keep_code(
  paywall_id text, host text, email text, request_hash text, code_hash text, code_minutes integer,
  long_code_hash text, long_code_minutes integer, lasting_code_minutes integer, network text default null
) returns jsonb language plpgsql security definer as $$
declare
  paywall record;
  taken record;
  restores boolean;
  is_somebodys boolean;
  mail text;
begin
  select p.id, p.owner_id, p.is_test, p.name into paywall
  from paywalls p where p.id = (select f.id from find_paywall(paywall_id, host) f);
  if paywall.id is null then return verdict('unknown_paywall'); end if;

  taken := take_mail(paywall_id, email, network, code_minutes, long_code_minutes, lasting_code_minutes);
  restores := exists (select from restorable_users(paywall_id, email));
  is_somebodys := restores or exists (
    select from users u where (u.owner_id, u.is_test, u.email) = (paywall.owner_id, paywall.is_test, keep_code.email));
  if taken.is_long then
    request_hash := long_code_hash;
    code_hash := long_code_hash;
  end if;
  if taken.minutes is not null then
    insert into mailed_codes (request_hash, paywall_id, email, code_hash, restores, expires_at)
    values (request_hash, paywall_id, email, code_hash, restores, now() + make_interval(mins => taken.minutes));
  end if;

  mail := case
    when taken.minutes is null or taken.is_shared and not is_somebodys then 'none'
    when taken.is_long then 'long_code'
    else 'code' end;
  return case when taken.wait is null then verdict('kept') else verdict('too_many_codes') || retry_after(taken.wait) end
    || jsonb_build_object('paywall_name', paywall.name, 'restores', restores, 'mail', mail, 'minutes', taken.minutes);
end $$;
