-- The budgets of sign-in by mail, each for one paywall or all of one network. take_mail and take_guess give null if all of them had
-- room, or there is no network to count by; else how long until the one that is used up has room again. docs/security.md says what
-- a stranger can do within them.

-- Takes one mail to an address. Each address has a share for each network, so that a stranger in another network leaves that of its
-- user alone. What it may have in all keeps many networks from flooding it.
create function take_mail(paywall_id text, email text, network text) returns interval language plpgsql as $$
begin
  if network is null then return null; end if;
  return coalesce(
    take_from_budget('mail', address_key(paywall_id, email, network), 1, 5, '1 hour'),
    take_from_budget('mail', 'network:' || network, 1, 100, '1 hour'),
    take_from_budget('mail', address_key(paywall_id, email), 1, 30, '1 hour'),
    take_from_budget('mail', 'paywall:' || paywall_id, 1, 5000, '1 hour'));
end $$;

-- Takes one guess at the code of an address.
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
