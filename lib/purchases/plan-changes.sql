-- A plan may be changed at the processor, by its buyer in the portal or by the owner: the purchase follows.

-- The length of a period.
create function period_length(unit text, units integer) returns interval language plpgsql stable strict as $$
begin
  return (units || ' ' || unit)::interval;
end $$;

-- Whether two periods have the same length. Twelve months are a year; 30 days are no month, although Postgres considers the intervals
-- equal.
create function is_same_period_length(unit text, units integer, other_unit text, other_units integer) returns boolean
language plpgsql stable strict as $$
begin
  return period_length(unit, units)::text = period_length(other_unit, other_units)::text;
end $$;

-- Finds the price of the paywall that a subscription is charged for now, on sale or retired; all null if there is none. A processor may use
-- one name for the monthly and the annual price of a product, so the interval is compared, too. If it has no names for prices, amount and
-- currency are compared; otherwise they distinguish an edited price from its predecessor.
create function price_charged(p purchases) returns prices language plpgsql stable as $$
begin
  return (
    select price
    from prices price
      cross join lateral (select
        (p.unit_amount, p.currency) = (price.amount, price.currency)
          or price.locals @> jsonb_build_array(jsonb_build_object('amount', p.unit_amount, 'currency', p.currency)) as is_amount,
        p.processor_price = price.processor_price
          or price.locals @> jsonb_build_array(jsonb_build_object('processor_price', p.processor_price)) as is_name) matches
    where price.paywall_id = p.paywall_id
      and is_same_period_length(price.interval, price.interval_count, p.interval, p.interval_count)
      and case when p.processor_price is null then matches.is_amount else matches.is_name end
    order by not matches.is_amount, price.id <> p.price_id, price.retired_at is not null, price.retired_at desc, price.position limit 1);
end $$;

-- The charge that is expected for what a page sold. Values that the page does not know are those of the actual charge.
create function expected_charge(checkout checkouts, charged purchases) returns purchases language plpgsql stable as $$
begin
  charged.unit_amount := coalesce(checkout.amount, charged.unit_amount);
  charged.currency := coalesce(checkout.currency, charged.currency);
  charged.quantity := checkout.quantity;
  charged.processor_price := case when charged.processor_price is not null
    then coalesce(checkout.processor_price, charged.processor_price) end;
  select price.interval, price.interval_count into charged.interval, charged.interval_count
  from prices price where price.id = checkout.price_id;
  return charged;
end $$;

-- Whether a subscription is charged for something else than before, another quantity included. A new one is compared with the whole price
-- and the quantity that its page sold. Later
-- the amount is compared only if the processor has no names for prices: it may change without a change of plan.
create function is_plan_changed(before purchases, after purchases, checkout checkouts) returns boolean language plpgsql stable as $$
declare
  is_new constant boolean := before.id is null;
  last constant purchases := case when is_new then expected_charge(checkout, after) else before end;
begin
  if after.interval is null then return false; end if;
  if not coalesce(is_same_period_length(after.interval, after.interval_count, last.interval, last.interval_count), false) then
    return true;
  end if;
  if after.processor_price <> last.processor_price or after.quantity <> last.quantity then return true; end if;
  return (is_new or after.processor_price is null)
    and (after.unit_amount, after.currency) is distinct from (last.unit_amount, last.currency);
end $$;

-- Updates the price of a purchase. If no price of the paywall matches the charge, the features stay until the end of the period that is
-- already paid for: `unmatched_from`. The lookup is repeated at each fetch, since the owner may add the price meanwhile.
create function follow_plan(before purchases, after purchases, checkout checkouts, snapshot jsonb) returns purchases
language plpgsql stable as $$
declare
  price prices;
begin
  if not is_plan_changed(before, after, checkout) and before.unmatched_from is null then return after; end if;
  price := price_charged(after);
  if price.id is not null then
    after.price_id := price.id;
    after.unmatched_from := null;
  else
    after.unmatched_from := coalesce(before.unmatched_from, paid_until(before, after, checkout, snapshot));
  end if;
  return after;
end $$;

-- Until when a purchase is paid for at the price that it had before its plan was changed, or that its page sold. The payment before the
-- change may be reported with it: as long as the change is unpaid, the current period was paid last; otherwise the period after the known
-- one, which for a new purchase is the first.
create function paid_until(before purchases, after purchases, checkout checkouts, snapshot jsonb) returns timestamptz
language plpgsql stable as $$
declare
  old constant prices := (select price from prices price where price.id = coalesce(before.price_id, checkout.price_id));
  known constant timestamptz := before.current_period_end;
begin
  if known is not null and after.paid_period_start = before.paid_period_start then return known; end if;
  if not (snapshot ->> 'price_covered')::boolean and after.paid_period_start = after.current_period_start then
    return end_at_price(after, old);
  end if;
  if known is null then return coalesce(after.trial_end, after.started_at + period_length(old.interval, old.interval_count)); end if;
  if (snapshot ->> 'changed_in_period')::boolean and known <= after.current_period_start then
    return known + period_length(old.interval, old.interval_count);
  end if;
  return known;
end $$;

-- When the current period ends if it was paid for at this price: an unpaid change neither extends nor shortens it.
create function end_at_price(p purchases, price prices) returns timestamptz language plpgsql stable as $$
begin
  return case when coalesce(is_same_period_length(p.interval, p.interval_count, price.interval, price.interval_count), true)
    then p.current_period_end else p.current_period_start + period_length(price.interval, price.interval_count) end;
end $$;

-- Updates the price and the quantity that a scheduled change of plan leads to. If the subscription ends before, the change never takes
-- effect. The lookup is repeated at each fetch, as in `follow_plan`; an edited price stays the one that was found first.
create function follow_scheduled_change(after purchases, snapshot jsonb) returns purchases language plpgsql stable as $$
begin
  if after.status = 'canceled' or scheduled_end(after) <= after.scheduled_change_at then after.scheduled_change_at := null; end if;
  after.scheduled_price_id := case
    when after.scheduled_change_at is null then null
    when snapshot ? 'scheduled_charge' then charged_price(after, snapshot -> 'scheduled_charge')
    else price_named(after, snapshot ->> 'scheduled_price') end;
  after.scheduled_quantity := case when after.scheduled_change_at is not null then after.scheduled_quantity end;
  return after;
end $$;

-- The price that a scheduled change leads to, by the processor's name of that price; null if there is none.
create function price_named(p purchases, processor_price text) returns text language plpgsql stable as $$
begin
  return (
    select price.id from prices price
    where price.paywall_id = p.paywall_id and price.interval is not null
      and (price.processor_price = price_named.processor_price
        or price.locals @> jsonb_build_array(jsonb_build_object('processor_price', price_named.processor_price)))
    order by price.id is distinct from p.scheduled_price_id, price.retired_at is not null, price.retired_at desc, price.position
    limit 1);
end $$;

-- The same by what it charges, {unit_amount, currency, interval, interval_count}, if the processor has no names for prices.
create function charged_price(p purchases, charge jsonb) returns text language plpgsql stable as $$
begin
  p.price_id := p.scheduled_price_id;
  p.processor_price := null;
  return (price_charged(jsonb_populate_record(p, charge))).id;
end $$;

-- Whether a change of plan was scheduled, or was replaced by another one.
create function is_change_scheduled(before purchases, after purchases) returns boolean language plpgsql stable as $$
begin
  return after.scheduled_change_at is not null
    and (before.scheduled_change_at is null
      or (after.scheduled_price_id, after.scheduled_quantity) is distinct from (before.scheduled_price_id, before.scheduled_quantity));
end $$;

-- Whether `follow_plan` has found another price or quantity than before, including a change from one unmatched charge to another.
create function has_other_plan(before purchases, after purchases) returns boolean language plpgsql stable as $$
begin
  return (after.price_id, after.quantity, after.unmatched_from is null)
      is distinct from (before.price_id, before.quantity, before.unmatched_from is null)
    or after.unmatched_from is not null and is_plan_changed(before, after, null);
end $$;

-- Whether an attempt to change the plan of a subscription holds its lease.
create function is_plan_changing(purchase_id uuid) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from plan_changes c
    where c.purchase_id = is_plan_changing.purchase_id and c.reply is null and c.leased_until > now());
end $$;
