-- A hosted checkout that a browser comes back from, the account to ask what became of it, and the paywall's time before the
-- fetch, stored as the fetch's time (`fetched_at`). The way back is at the host that the page was opened to return to, and at no
-- other: what a page of one host may lead to is not to be had under the name of another.
--
-- `ask` says whether this browser is the one for which the processor is asked: one in five seconds, if the page may have sold
-- something that is not stored. Locks the checkout's row for that. A row that is locked is being written, so nobody need ask.
create function read_checkout(checkout_id uuid, host text, may_ask boolean) returns jsonb language plpgsql security definer as $$
declare
  once_in constant interval := '5 seconds';
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
  where c.id = checkout_id and host_of(c.return_origin) = host
    and (select p.id from find_paywall(c.paywall_id, host) p) is not null;
  if not found then return verdict('unknown_checkout'); end if;

  if may_ask then
    perform from checkouts c
    where c.id = checkout_id and c.completed_at is null and c.hosted_page_id is not null
      and (c.asked_at is null or c.asked_at <= now() - once_in)
    for no key update skip locked;
    asks := found;
    if asks then update checkouts c set asked_at = now() where c.id = checkout_id; end if;
  end if;
  return checkout || jsonb_build_object('ask', asks);
end $$;
