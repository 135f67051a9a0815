-- A hosted checkout that a browser returns from, the account to query for its result, and the paywall's time before the fetch, which
-- becomes the snapshot's `fetched_at`. The return URL works only at the host that the page was opened to return to: a redirect that belongs
-- to one host must not be reachable under the name of another. Of an unknown checkout, `has_site` says whether the host is a paywall's own
-- domain, to whose site the buyer can go on.
--
-- `ask` says whether the processor is queried for this request: at most once in five seconds, and only if the page may have sold something
-- that is not stored. That locks the checkout's row.
create function read_checkout(checkout_id uuid, host text, may_ask boolean) returns jsonb language plpgsql security definer as $$
declare
  checkout jsonb;
  asks boolean := false;
begin
  select verdict('found') || jsonb_build_object(
    'id', c.id, 'account', account_json(c.paywall_id, c.acquiring),
    'page_id', c.hosted_page_id, 'sale', page_sale_json(c), 'success_url', c.success_url, 'error_url', c.error_url,
    'success_is_foreign', c.success_is_foreign, 'error_is_foreign', c.error_is_foreign,
    'completed', c.completed_at is not null, 'now', time_before_fetch(c.paywall_id)
  ) || logged(c.user_id, checkout_id => c.id, price_id => c.price_id) into checkout
  from checkouts c
  where c.id = checkout_id and host_from_origin(c.return_origin) = host
    and (select p.id from find_paywall(c.paywall_id, host) p) is not null;
  if not found then
    return verdict('unknown_checkout') || jsonb_build_object('has_site', exists (select from paywalls p where p.domain = host));
  end if;

  if may_ask then
    perform from checkouts c where c.id = checkout_id and c.completed_at is null and c.hosted_page_id is not null;
    asks := found and may_ask_now(checkout_id);
  end if;
  return checkout || jsonb_build_object('ask', asks);
end $$;

-- Whether the processor may be queried for a browser that returns from a checkout now: at most once in five seconds. Locks the checkout's
-- row. If that is already locked, it is being written, so no query is needed.
create function may_ask_now(checkout_id uuid) returns boolean language plpgsql as $$
declare
  once_in constant interval := '5 seconds';
begin
  perform from checkouts c
  where c.id = checkout_id and (c.asked_at is null or c.asked_at <= now() - once_in)
  for no key update skip locked;
  if not found then return false; end if;
  update checkouts c set asked_at = now() where c.id = checkout_id;
  return true;
end $$;
