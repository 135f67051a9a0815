-- Keeps a new sign-in code for an address, with all its tries. It works only together with the nonce of the call that asked for
-- it, whose hash is `request_hash`: so nobody else can use it up, and codes that others ask for leave it as it is. Nothing here
-- looks at whether there is such a user. If anonymous users have bought with the address, `restores` says so: the mail offers to
-- bring that back, and the code does.
--
-- Once others have used up the mails of an address, a long code is kept instead, now and then: see take_mail. Nobody can guess it,
-- so it works without a nonce: its hash, `long_code_hash`, stands in the place of the nonce's.
--
-- Locks the budgets of mails that it takes from; without a `network` nothing is counted. Verdicts: `kept`, with the `mail` that is to
-- be sent; `too_many_codes`, with the seconds after which one more may be sent; `unknown_paywall`.
create function keep_code(
  paywall_id text, host text, email text, request_hash text, code_hash text, code_minutes integer,
  long_code_hash text, long_code_minutes integer, network text default null
) returns jsonb language plpgsql security definer as $$
declare
  paywall record;
  taken record;
  restores boolean;
begin
  select p.id, p.name into paywall from paywalls p where p.id = (select f.id from find_paywall(paywall_id, host) f);
  if paywall.id is null then return verdict('unknown_paywall'); end if;

  taken := take_mail(paywall_id, email, network, make_interval(mins => long_code_minutes / 2));
  if taken.wait is not null then return verdict('too_many_codes') || retry_after(taken.wait); end if;

  restores := taken.mail <> 'none' and exists (select from restorable_users(paywall_id, email));
  if taken.mail = 'long_code' then
    request_hash := long_code_hash;
    code_hash := long_code_hash;
    code_minutes := long_code_minutes;
  end if;
  if taken.mail <> 'none' then
    insert into mailed_codes (request_hash, paywall_id, email, code_hash, restores, expires_at)
    values (request_hash, paywall_id, email, code_hash, restores, now() + make_interval(mins => code_minutes));
  end if;
  return verdict('kept')
    || jsonb_build_object('paywall_name', paywall.name, 'restores', restores, 'mail', taken.mail);
end $$;
