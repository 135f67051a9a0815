-- The budgets of sign-in by mail, each for one paywall or all of one network. Without a network to count by, nothing is counted.
-- docs/security.md says what a stranger can do within them.

-- Decides which mail an address gets, and takes it from the budgets: `mail` is `code`, `long_code` or `none`. `wait` is null, or how
-- long until the budget that is used up has room again; then nothing is mailed.
--
-- Each address has a share for each network, so that a stranger in another network leaves that of its user alone. What it may have
-- in all keeps many networks from flooding it. Whoever they are, they keep no mail from its user: once that is used up, the address
-- gets a long code, which is good for every call, every `long_code_period`. It holds for twice as long, so that whoever is told
-- `none` has one that is good for that time.
--
-- What a paywall may have mailed is shared by all networks, so many of them could use it up. Each then still has a few mails of its
-- own, so that nobody has to wait for strangers in other networks.
create function take_mail(
  paywall_id text, email text, network text, long_code_period interval, out mail text, out wait interval
) language plpgsql as $$
declare
  address constant text := address_key(paywall_id, email);
begin
  mail := 'code';
  if network is null then return; end if;
  wait := coalesce(
    take_from_budget('mail', address_key(paywall_id, email, network), 1, 5, '1 hour'),
    take_from_budget('mail', 'network:' || network, 1, 100, '1 hour'));
  if wait is not null then return; end if;

  if take_from_budget('mail', address, 1, 30, '1 hour') is not null then
    mail := case
      when take_from_budget('long code', address, 1, 1, long_code_period) is null then 'long_code' else 'none' end;
    if mail = 'none' then return; end if;
  end if;
  wait := take_from_budget('mail', 'paywall:' || paywall_id, 1, 5000, '1 hour');
  if wait is not null and take_from_budget('own mail', address_key(paywall_id, '', network), 1, 3, '1 hour') is null then
    wait := null;
  end if;
  if wait is not null then perform renew_long_code(paywall_id, email); end if;
end $$;

-- Lets the next call for an address have a long code mailed, if it comes to that: the one before was used, or not mailed.
create function renew_long_code(paywall_id text, email text) returns void language plpgsql as $$
begin
  delete from budgets b where b.what = 'long code' and b.who = address_key(paywall_id, email);
end $$;

-- Takes one guess at the code of an address. Null, or how long until the budget that is used up has room again.
create function take_guess(paywall_id text, email text, network text) returns interval language plpgsql as $$
begin
  if network is null then return null; end if;
  return coalesce(
    take_from_budget('guess', 'network:' || network, 1, 100, '1 hour'),
    take_from_budget('guess', address_key(paywall_id, email), 1, 50, '1 day'),
    take_from_budget('guess', 'paywall:' || paywall_id, 1, 1000, '1 hour'));
end $$;

-- By what an address is counted on a paywall, alone or as far as calls come from one network. Hashed, so that every address has
-- room in the column and none is written down that only a stranger has named.
create function address_key(paywall_id text, email text, network text default '') returns text language sql stable as $$
  select 'address:' || encode(sha256(convert_to(jsonb_build_array(paywall_id, email, network)::text, 'utf8')), 'hex')
$$;

-- When a call may be repeated, as a refusal says it: in whole seconds.
create function retry_after(wait interval) returns jsonb language sql stable as $$
  select jsonb_build_object('retry_after', ceil(extract(epoch from wait))::int)
$$;
