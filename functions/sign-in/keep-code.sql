-- Keeps a new sign-in code for an address, with all its tries. It works only together with the nonce of the call that asked for
-- it, whose hash is `request_hash`: so nobody else can use it up, and codes that others ask for leave it as it is. Nothing here
-- looks at whether there is such a user. If anonymous users have bought with the address, `restores` says so: the mail offers to
-- bring that back, and the code does.
--
-- Locks the budgets of mails that it takes from; without a `network` nothing is counted. Verdicts: `kept`; `too_many_codes`, with
-- the seconds after which one more may be sent; `unknown_paywall`.
create function keep_code(
  paywall_id text, host text, email text, request_hash text, code_hash text, code_minutes integer, network text default null
) returns jsonb language plpgsql security definer as $$
declare
  paywall record;
  wait interval;
  restores boolean;
begin
  select p.id, p.name into paywall from paywalls p where p.id = (select f.id from find_paywall(paywall_id, host) f);
  if paywall.id is null then return verdict('unknown_paywall'); end if;

  wait := take_mail(paywall_id, email, network);
  if wait is not null then return verdict('too_many_codes') || retry_after(wait); end if;

  restores := exists (select from restorable_users(paywall_id, email));
  insert into mailed_codes (request_hash, paywall_id, email, code_hash, restores, expires_at)
  values (request_hash, paywall_id, email, code_hash, restores, now() + make_interval(mins => code_minutes));
  return verdict('kept') || jsonb_build_object('paywall_name', paywall.name, 'restores', restores);
end $$;
