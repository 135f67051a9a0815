-- Which checkout has sold something whose processor keeps no id of ours.

-- The checkout of a sale, on whichever paywall of the owner: several may sell through one account, and hear of each other's sales.
-- All null if there is none, since another system sold it.
--
--   snapshot  of the purchase: its processor_id and currency
--   sold      {email, processor_price, interval, sold_at}: to whom, what and when, before any change of the plan. A price or a time
--             that is null is not known
--   any_mode  whether paywalls of the other mode may have sold it, too: else those for tests and live ones are kept apart
--
-- That of the stored purchase, or else the latest page that was open by then for this buyer and this price: one that has not sold
-- anything yet, or, since a link can be paid again, one that has. Then the sale is another purchase of the same checkout. A processor
-- may have one name for the monthly, the annual and the one-time price of a product, so the interval is compared, too.
create function checkout_of_sale(
  paywall_id text, acquiring text, snapshot jsonb, sold jsonb, any_mode boolean default false
) returns checkouts language plpgsql stable as $$
declare
  clock_skew constant interval := '5 seconds'; -- of the processor's, which may write whole seconds, too
  bought constant text := snapshot ->> 'processor_id';
  checkout checkouts;
  here paywalls;
  modes boolean[]; -- whether they are test users
begin
  select c.* into checkout from purchases p join checkouts c on c.id = p.checkout_id
  where (p.paywall_id, p.acquiring, p.processor_id)
    = (checkout_of_sale.paywall_id, checkout_of_sale.acquiring, bought);
  if found then return checkout; end if;

  select * into here from paywalls p where p.id = checkout_of_sale.paywall_id;
  modes := case when any_mode then '{true,false}' else array[here.is_test] end;
  select c.* into checkout
  from pages_of_buyer(here.owner_id, modes, lower(btrim(sold ->> 'email'))) c
    join prices price on price.id = c.price_id
    left join purchases stored on stored.checkout_id = c.id and stored.processor_id = bought
  where c.acquiring = checkout_of_sale.acquiring
    and (stored.id is not null
      or c.processor_price = coalesce(sold ->> 'processor_price', c.processor_price)
        and c.currency = snapshot ->> 'currency' and price.interval is not distinct from sold ->> 'interval'
        and coalesce(c.created_at <= (sold ->> 'sold_at')::timestamptz + clock_skew, true))
  order by stored.id is null, c.completed_at is not null, c.created_at desc limit 1;
  return checkout;
end $$;

-- The checkouts on an owner's paywalls that were opened by the user with this e-mail address, including one that was merged since.
create function pages_of_buyer(owner_id uuid, modes boolean[], email text) returns setof checkouts
language sql stable as $$
  select c.* from users buyer
    join members m on m.user_id = buyer.id
    join checkouts c on (c.paywall_id, c.user_id) = (m.paywall_id, m.user_id)
  where buyer.owner_id = pages_of_buyer.owner_id and buyer.is_test = any (modes) and buyer.email = pages_of_buyer.email
    and c.former_email is null
  union all
  select c.* from paywalls p join checkouts c on (c.paywall_id, c.former_email) = (p.id, pages_of_buyer.email)
  where p.owner_id = pages_of_buyer.owner_id and p.is_test = any (modes)
$$;

-- The same with its member locked; all null if it is another paywall's. Of two sales that are told of in the same moment the
-- second may have found the page of the first, so it looks again once the member is locked.
create function lock_sale(paywall_id text, acquiring text, snapshot jsonb, sold jsonb) returns checkouts language plpgsql as $$
declare
  checkout checkouts;
  locked_id uuid;
begin
  loop
    checkout := checkout_of_sale(paywall_id, acquiring, snapshot, sold);
    if checkout.id is null or checkout.paywall_id <> lock_sale.paywall_id then return null; end if;
    if checkout.id = locked_id then return checkout; end if;
    locked_id := checkout.id;
    perform lock_checkout_member(paywall_id, locked_id);
  end loop;
end $$;

-- Where a browser that returns from a checkout goes on.
create function return_url(checkout checkouts, outcome text) returns text language sql stable as $$
  select checkout.return_origin || '/r/' || checkout.id || '/' || outcome
$$;
