-- Keeps a new sign-in code for an address, instead of the one before, with all its tries. Nothing here looks at whether
-- there is such a user.
--
-- Locks the address's row, which also counts the codes of the last hour: of many calls at once no more than the limit
-- are sent. Verdicts: `kept`; `too_many_codes`, with the seconds after which one more is sent; `unknown_paywall`.
create function keep_code(
  paywall_id text, host text, email text, code_hash text, code_minutes integer, codes_an_hour integer
) returns jsonb language plpgsql security definer as $$
declare
  paywall record;
  last_hour timestamptz[];
begin
  select p.id, p.name into paywall from paywalls p where p.id = (select f.id from find_paywall(paywall_id, host) f);
  if paywall.id is null then return verdict('unknown_paywall'); end if;

  insert into sign_in_codes as c (paywall_id, email, code_hash, expires_at, sent)
  values (paywall_id, email, code_hash, now(), '{}')
  on conflict on constraint sign_in_codes_pkey do update set sent = c.sent -- changes nothing: it locks the row
  returning array(select at from unnest(c.sent) at where at > now() - interval '1 hour') into last_hour;
  if cardinality(last_hour) >= codes_an_hour then
    return verdict('too_many_codes') || jsonb_build_object('retry_after', (
      select ceil(extract(epoch from min(at) + interval '1 hour' - now()))::int from unnest(last_hour) at));
  end if;

  update sign_in_codes c
  set code_hash = keep_code.code_hash, expires_at = now() + make_interval(mins => code_minutes), tries = 0,
    sent = last_hour || now()
  where c.paywall_id = keep_code.paywall_id and c.email = keep_code.email;
  return verdict('kept') || jsonb_build_object('paywall_name', paywall.name);
end $$;
