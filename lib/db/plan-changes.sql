-- A plan may be changed at the processor, by its buyer in the portal or by the owner: the purchase follows.

-- The price of a paywall that is what a subscription is charged for now, on sale or retired; all null if none is. A processor may have
-- one name for the monthly and the annual price of a product, so the interval is compared, too. Where it has no names for prices,
-- the amount and the currency are.
create function price_charged(p purchases) returns prices language plpgsql stable as $$
begin
  return (
    select price from prices price
    where price.paywall_id = p.paywall_id
      and price.interval = p.interval and price.interval_count = p.interval_count
      and case when p.processor_price is not null
        then p.processor_price = price.processor_price
          or price.locals @> jsonb_build_array(jsonb_build_object('processor_price', p.processor_price))
        else (p.unit_amount, p.currency) = (price.amount, price.currency)
          or price.locals @> jsonb_build_array(jsonb_build_object('amount', p.unit_amount, 'currency', p.currency)) end
    order by price.id <> p.price_id, price.retired_at is not null, price.retired_at desc, price.position limit 1);
end $$;

-- Whether a subscription is charged for something else than before. Of a new one, than what its page has sold.
create function is_plan_changed(before purchases, after purchases, checkout checkouts) returns boolean language plpgsql stable as $$
begin
  if after.interval is null then return false; end if;
  if before.id is null then return coalesce(after.processor_price <> checkout.processor_price, false); end if;
  if after.processor_price is null then
    return (after.interval, after.interval_count, after.unit_amount, after.currency)
      is distinct from (before.interval, before.interval_count, before.unit_amount, before.currency);
  end if;
  return coalesce((after.processor_price, after.interval, after.interval_count)
    <> (before.processor_price, before.interval, before.interval_count), false);
end $$;

-- The price that a purchase has from now on. Of one that no price of the paywall names, the features stay to the end of the period that
-- is paid for already: `unnamed_from`. It is looked for again at each fetch, since the owner may name it meanwhile.
create function follow_plan(before purchases, after purchases, checkout checkouts) returns purchases
language plpgsql stable as $$
declare
  price prices;
begin
  if not is_plan_changed(before, after, checkout) and before.unnamed_from is null then return after; end if;
  price := price_charged(after);
  if price.id is not null then
    after.price_id := price.id;
    after.unnamed_from := null;
  else
    after.unnamed_from := coalesce(before.unnamed_from, greatest(before.current_period_end, after.fetched_at));
  end if;
  return after;
end $$;
