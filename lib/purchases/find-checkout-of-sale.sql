-- Finds the checkout of a sale at a processor that stores no id of ours.

-- Finds the checkout of a sale, on any paywall of the owner: several may sell through one account and receive each other's webhooks. All
-- null if there is none: another system sold it.
--
--   snapshot  the purchase: its processor_id and currency
--   sold      {email, processor_price, interval, sold_at}: to whom, what and when, before any change of plan. A null price or time
--             is unknown
--   any_mode  whether paywalls of the other mode are searched, too: otherwise test and live are kept apart
--
-- Returns the checkout of the stored purchase, or else the latest page that was open by then for this buyer and this price: preferably one
-- that has sold nothing yet, or, since a link can be paid again, one that has. The sale is then a further purchase of that checkout. A
-- processor may use one name for the monthly, the annual and the one-time price of a product, so the interval is compared, too.
create function find_checkout_of_sale(
  paywall_id text, acquiring text, snapshot jsonb, sold jsonb, any_mode boolean default false
) returns checkouts language plpgsql stable as $$
declare
  clock_skew constant interval := '5 seconds'; -- of the processor's clock, which may also round to seconds
  bought constant text := snapshot ->> 'processor_id';
  checkout checkouts;
  here paywalls;
  modes boolean[]; -- values of is_test to search
begin
  select c.* into checkout from purchases p join checkouts c on c.id = p.checkout_id
  where (p.paywall_id, p.acquiring, p.processor_id)
    = (find_checkout_of_sale.paywall_id, find_checkout_of_sale.acquiring, bought);
  if found then return checkout; end if;

  select * into here from paywalls p where p.id = find_checkout_of_sale.paywall_id;
  modes := case when any_mode then '{true,false}' else array[here.is_test] end;
  select c.* into checkout
  from buyer_checkouts(here.owner_id, modes, lower(btrim(sold ->> 'email'))) c
    join prices price on price.id = c.price_id
    left join purchases stored on stored.checkout_id = c.id and stored.processor_id = bought
  where c.acquiring = find_checkout_of_sale.acquiring
    and (stored.id is not null
      or c.processor_price = coalesce(sold ->> 'processor_price', c.processor_price)
        and c.currency = snapshot ->> 'currency' and price.interval is not distinct from sold ->> 'interval'
        and coalesce(c.created_at <= (sold ->> 'sold_at')::timestamptz + clock_skew, true))
  order by stored.id is null, c.completed_at is not null, c.created_at desc limit 1;
  return checkout;
end $$;

-- The checkouts on an owner's paywalls that the user with this e-mail address has opened, including a user who was merged since.
create function buyer_checkouts(owner_id uuid, modes boolean[], email text) returns setof checkouts
language sql stable as $$
  select c.* from users buyer
    join members m on m.user_id = buyer.id
    join checkouts c on (c.paywall_id, c.user_id) = (m.paywall_id, m.user_id)
  where buyer.owner_id = buyer_checkouts.owner_id and buyer.is_test = any (modes) and buyer.email = buyer_checkouts.email
    and c.former_email is null
  union all
  select c.* from paywalls p join checkouts c on (c.paywall_id, c.former_email) = (p.id, buyer_checkouts.email)
  where p.owner_id = buyer_checkouts.owner_id and p.is_test = any (modes)
$$;

-- The same with its member locked; all null if it belongs to another paywall. Of two concurrent sales the second may have found the page of
-- the first, so the search is repeated once the member is locked.
create function lock_sale(paywall_id text, acquiring text, snapshot jsonb, sold jsonb) returns checkouts language plpgsql as $$
declare
  checkout checkouts;
  locked_id uuid;
begin
  loop
    checkout := find_checkout_of_sale(paywall_id, acquiring, snapshot, sold);
    if checkout.id is null or checkout.paywall_id <> lock_sale.paywall_id then return null; end if;
    if checkout.id = locked_id then return checkout; end if;
    locked_id := checkout.id;
    perform lock_checkout_member(paywall_id, locked_id);
  end loop;
end $$;

-- The return URL of a checkout.
create function return_url(checkout checkouts, outcome text) returns text language sql stable as $$
  select checkout.return_origin || '/r/' || checkout.id || '/' || outcome
$$;
