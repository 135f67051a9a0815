-- The budgets of sign-in by mail, each for one paywall or all of one network. Without a network to count by, nothing is counted.
-- docs/security.md says what a stranger can do within them.

-- Decides what is mailed to an address: a short code, a long one (`is_long`) or nothing, if it does not hold for any `minutes`. `wait`
-- is null, or how long until the budget of a network or of the paywall that is used up has room again.
--
-- Each address has a share for each network, so that a stranger in another network leaves that of its user alone. What a paywall
-- may have mailed is shared by all networks, so many of them could use it up; each then still has a few mails of its own. What an
-- address may have in all keeps many networks from flooding it. What comes behind a `+` is most often the same mailbox, so such
-- addresses have a share together, too. `is_shared` says that what is used up is not this address's alone: then a mail would be one
-- more for whoever sends them to any number of addresses.
--
-- Whoever uses these budgets up, in whatever network, keeps nobody from signing in: then there are long codes, which are counted for
-- their address alone. So no budget that they depend on is shared with anybody.
create function take_mail(
  paywall_id text, email text, network text, code_minutes integer, long_code_minutes integer, lasting_code_minutes integer,
  out minutes integer, out is_long boolean, out is_shared boolean, out wait interval
) language plpgsql as $$
declare
  address constant text := address_key(paywall_id, email);
  share constant text := address_key(paywall_id, email, network);
begin
  is_long := false;
  is_shared := false;
  minutes := code_minutes;
  if network is null then return; end if;
  wait := take_from_budget('mail', share, 1, 5, '1 hour');
  if wait is null then
    wait := coalesce(
      take_from_network('mail', network, 100, '1 hour'),
      take_mail_of_tags(paywall_id, email, network),
      take_mail_of_paywall(paywall_id, network));
    is_shared := wait is not null;
    -- No mail was sent, so none is counted: who asks again and again where others have used up all loses nothing by it, and who
    -- sends mails to strangers does not get to where their own share is used up.
    if is_shared then perform give_back('mail', share, 1); end if;
  end if;
  if wait is null and take_from_budget('mail', address, 1, 30, '1 hour') is null then return; end if;

  is_long := true;
  minutes := take_long_code(address, long_code_minutes, lasting_code_minutes);
end $$;

-- Takes a mail from what the addresses of a mailbox have for a network that differ in what comes behind a `+`. Null, or how long until
-- there is room again. An address without a `+` has its own share alone.
create function take_mail_of_tags(paywall_id text, email text, network text) returns interval language plpgsql as $$
declare
  mailbox constant text := regexp_replace(email, '\+[^@]*@', '@');
begin
  if mailbox = email then return null; end if;
  return take_from_budget('tagged mail', address_key(paywall_id, mailbox, network), 1, 20, '1 hour');
end $$;

-- Takes a mail from what a paywall has, or else from what a network keeps there. Null, or how long until the paywall has room again.
create function take_mail_of_paywall(paywall_id text, network text) returns interval language plpgsql as $$
declare
  wait constant interval := take_from_budget('mail', 'paywall:' || paywall_id, 1, 5000, '1 hour');
begin
  if wait is null or take_from_budget('own mail', address_key(paywall_id, '', network), 1, 3, '1 hour') is null then
    return null;
  end if;
  return wait;
end $$;

-- For how many minutes a long code holds that is now mailed to an address. Null: none is, because one that was mailed before and not
-- used is good for half of `long_code_minutes` or more. Six in a day hold for `long_code_minutes`; those after them last longer and are
-- mailed less often, so that nobody's mailbox is flooded for days.
create function take_long_code(address text, long_code_minutes integer, lasting_code_minutes integer) returns integer
language plpgsql as $$
begin
  return case
    when take_from_budget('long code', address, 1, 1, make_interval(mins => long_code_minutes / 2)) is not null then null
    when take_from_budget('long codes', address, 1, 6, '1 day') is null then long_code_minutes
    when take_from_budget('lasting code', address, 1, 1, make_interval(mins => lasting_code_minutes / 2)) is null
      then lasting_code_minutes end;
end $$;

-- Lets the next call for an address have a long code mailed, if it comes to that: the one before was used. Deletes in the order in
-- which take_long_code locks.
create function renew_long_code(paywall_id text, email text) returns void language plpgsql as $$
declare
  address constant text := address_key(paywall_id, email);
begin
  delete from budgets b where b.what = 'long code' and b.who = address;
  delete from budgets b where b.what = 'lasting code' and b.who = address;
end $$;

-- Takes one guess at the code of an address. Null, or how long until the budget that is used up has room again.
create function take_guess(paywall_id text, email text, network text) returns interval language plpgsql as $$
begin
  if network is null then return null; end if;
  return coalesce(
    take_from_network('guess', network, 100, '1 hour'),
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
