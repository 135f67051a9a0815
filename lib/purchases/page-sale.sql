-- What a hosted page offers for sale, and to whom: `PageSale` in lib/processors/processor.ts. It serves to find a purchase at a processor
-- that keeps no metadata. `sold`: what the buyer's other pages have sold, on any paywall, and what this one has, since a link that is paid
-- again sells another purchase. One that has not begun is looked up again.
create function page_sale_json(checkout checkouts) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'email', coalesce(checkout.former_email, (select u.email from users u where u.id = checkout.user_id)),
    'processorPrice', checkout.processor_price,
    'interval', (select price.interval from prices price where price.id = checkout.price_id),
    'openedAt', iso(checkout.created_at),
    'sold', array(
      select p.processor_id from members m join purchases p on (p.paywall_id, p.user_id) = (m.paywall_id, m.user_id)
      where m.user_id = checkout.user_id and p.acquiring = checkout.acquiring and (p.checkout_id <> checkout.id or p.begun)));
end $$;
