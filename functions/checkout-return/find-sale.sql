-- Finds the checkout of a sale that a processor's signed return URL names, on any paywall of the owner: the account has one return URL for
-- everything that it sells, live or in its sandbox. `is_open`: the checkout is this paywall's and the sale is not stored yet. Locks
-- nothing.
create function find_sale(paywall_id text, acquiring text, snapshot jsonb, sold jsonb) returns jsonb
language plpgsql stable security definer as $$
declare
  checkout constant checkouts := find_checkout_of_sale(paywall_id, acquiring, snapshot, sold, any_mode => true);
begin
  if checkout.id is null then return verdict('unknown_checkout'); end if;
  return verdict('found') || jsonb_build_object(
    'return_url', return_url(checkout, 'success'),
    'is_open', checkout.paywall_id = find_sale.paywall_id and not exists (
      select from purchases p
      where (p.paywall_id, p.acquiring, p.processor_id) = (find_sale.paywall_id, find_sale.acquiring, snapshot ->> 'processor_id')
        and p.begun));
end $$;
