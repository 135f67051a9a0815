-- What was to be sold on a hosted page, and to whom: `PageSale` in lib/processors/processor.ts. A processor that keeps no metadata
-- is asked for a purchase by it.
create function page_sale_json(checkout checkouts) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'email', (select u.email from users u where u.id = checkout.user_id),
    'processorPrice', checkout.processor_price, 'openedAt', iso(checkout.created_at));
end $$;
