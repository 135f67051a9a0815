-- Finds the checkout of a sale that a processor's signed return URL names, on any paywall of the owner: the account has one return URL for
-- everything that it sells, live or in its sandbox. `ask`: the checkout is this paywall's, and the sale is not stored yet, or with
-- another price, because its plan was changed. A changed plan locks the checkout's row.
create function find_sale(paywall_id text, acquiring text, snapshot jsonb, sold jsonb) returns jsonb
language plpgsql security definer as $$
declare
  checkout constant checkouts := find_checkout_of_sale(paywall_id, acquiring, snapshot, sold, any_mode => true);
  stored purchases;
  asks boolean;
begin
  if checkout.id is null then return verdict('unknown_checkout'); end if;
  select * into stored from purchases p
  where (p.paywall_id, p.acquiring, p.processor_id) = (find_sale.paywall_id, find_sale.acquiring, snapshot ->> 'processor_id')
    and p.begun;
  asks := checkout.paywall_id = find_sale.paywall_id
    and (stored.id is null or has_plan_of_sale(stored, sold) is false and may_ask_now(checkout.id));
  return verdict('found') || jsonb_build_object('return_url', return_url(checkout, 'success'), 'ask', asks);
end $$;

-- Whether a stored subscription has the price of a sale: a processor may use one name for the monthly and the yearly price. Null if either
-- has no name.
create function has_plan_of_sale(stored purchases, sold jsonb) returns boolean language sql immutable as $$
  select stored.processor_price = sold ->> 'processor_price' and stored.interval is not distinct from sold ->> 'interval'
$$;
