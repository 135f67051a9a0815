-- What a change of plan would change: the subscription, its row locked, the new price in its currency, and the new quantity. `refusal` is
-- null if the plan can be changed. `takes_effect` is `now` or `period_end`. The gate must be open. While a change is scheduled, the
-- subscription's own price and quantity are accepted, even if the price is no longer on sale: the subscription renews at that price, and
-- the scheduled change is undone.
--
--   wanted        the quantity; null: the subscription's own for a price that is sold per unit, and for its own price, else 1
--   capabilities  of each processor: {changesPlan, schedulesPlanChange}, of its definition
create function plan_change_order(
  paywall_id text, token_user_id uuid, email text, user_id text, external_id text, subscription_id text, price_id text,
  wanted integer, requested text, capabilities jsonb,
  out refusal text, out member_id uuid, out subscription purchases, out price prices, out quantity bigint, out takes_effect text
) language plpgsql as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  member record;
  running uuid[];
  offered prices;
  is_own_price boolean;
  is_current boolean;
  capable jsonb;
begin
  member := find_member(paywall_id, token_user_id, email, user_id, external_id);
  member_id := member.id;
  refusal := member.refusal;
  if refusal is not null then return; end if;

  running := array(
    select p.id from purchases p
    where p.paywall_id = plan_change_order.paywall_id and p.user_id = member.id and is_running(p, present) and p.begun
      and (subscription_id is null or p.id = as_uuid(subscription_id) or p.processor_id = subscription_id));
  refusal := case cardinality(running) when 0 then 'unknown_subscription' when 1 then null else 'several_subscriptions' end;
  if refusal is not null then return; end if;
  select * into subscription from purchases p where p.id = running[1] for no key update;

  select * into offered from prices p
  where p.paywall_id = plan_change_order.paywall_id and p.id = plan_change_order.price_id and p.interval is not null
    and (p.retired_at is null
      or p.id = subscription.price_id and subscription.unmatched_from is null and subscription.scheduled_change_at is not null
        and coalesce(wanted, subscription.quantity) = subscription.quantity);
  price := price_in_currency(offered, subscription);
  is_own_price := coalesce(subscription.unmatched_from is null and subscription.price_id = price.id, false);
  quantity := coalesce(wanted, case when is_own_price or price.per_unit then greatest(1, subscription.quantity) else 1 end);
  is_current := is_own_price and subscription.quantity = quantity;
  takes_effect := case
    when is_current then 'period_end'
    else coalesce(requested, case when is_upgrade(subscription, price, quantity) then 'now' else 'period_end' end) end;
  capable := capabilities -> subscription.acquiring;
  refusal := case
    when capable ->> 'changesPlan' = 'never'
      or subscription.acquiring <> (select p.acquiring from paywalls p where p.id = subscription.paywall_id) then 'unsupported'
    when offered.id is null then 'unknown_price'
    when subscription.status not in ('active', 'trialing') or is_past_grace(subscription, present)
      or subscription.stop_requested_at is not null then 'unchangeable'
    when price.id is null then 'other_currency'
    when not is_current and quantity > 1 and not price.per_unit then 'not_per_unit'
    -- The scheduled change may have taken effect already: then there is nothing to keep.
    when is_current and subscription.scheduled_change_at <= present then 'unchangeable'
    when is_current and subscription.scheduled_change_at is null then 'same_price'
    when takes_effect = 'period_end' and not (capable -> 'schedulesPlanChange')::boolean then 'unschedulable'
    when subscription.cancel_at_period_end and capable ->> 'changesPlan' = 'unless cancelled' then 'cancelled' end;
end $$;

-- A price as a subscriber would be charged for it: with the currency, amount and processor's price of the base price or of a local one. All
-- null if it is not sold in the subscription's currency. A subscriber who has a local price gets the one for the same countries or tier.
create function price_in_currency(price prices, subscription purchases) returns prices language plpgsql stable as $$
declare
  region constant jsonb := ( -- the countries or the tier of the local price that is charged now
    select local - '{currency,amount,processor_price}'::text[]
    from prices now cross join jsonb_array_elements(now.locals) local
    where now.id = subscription.price_id and now.processor_price <> subscription.processor_price
      and (local ->> 'currency', local ->> 'processor_price') = (subscription.currency, subscription.processor_price)
    limit 1);
  charged jsonb;
begin
  charged := (
    select local from jsonb_array_elements(price.locals) local
    where local ->> 'currency' = subscription.currency
    order by coalesce(local @> region, false) desc limit 1);
  if price.currency = subscription.currency and not coalesce(charged @> region, false) then return price; end if;
  if charged is null then return null; end if;
  price.currency := charged ->> 'currency';
  price.amount := charged ->> 'amount';
  price.processor_price := charged ->> 'processor_price';
  return price;
end $$;

-- Whether a quantity of a price is higher per day than what a subscription is charged now.
create function is_upgrade(subscription purchases, price prices, quantity bigint) returns boolean language plpgsql stable as $$
begin
  return price.amount::numeric * quantity / interval_days(price.interval, price.interval_count)
    > subscription.unit_amount::numeric * subscription.quantity / interval_days(subscription.interval, subscription.interval_count);
end $$;

-- The average length of a period in days.
create function interval_days(unit text, units integer) returns numeric language sql immutable as $$
  select units * case unit when 'day' then 1 when 'week' then 7 when 'month' then 365.25 / 12 when 'year' then 365.25 end
$$;

-- The result of a call that is refused.
create function refused_plan_change(refusal text, member_id uuid, subscription purchases) returns jsonb
language sql stable as $$
  select verdict(refusal) || jsonb_build_object('status', subscription.status, 'acquiring', subscription.acquiring)
    || logged(member_id, purchase_id => subscription.id)
$$;

-- Counts a preview or a change by a user's own token, which costs calls to the processor. Null if it may be made; else the verdict
-- `too_many_changes`, with the seconds to `wait`. An owner's is not counted. Locks the rate limit.
create function consume_plan_change(user_id uuid) returns jsonb language plpgsql as $$
declare
  of_a_user constant bigint := 20;
  period constant interval := '10 minutes';
  wait interval;
begin
  if user_id is null then return null; end if;
  wait := consume('plan changes', 'user:' || user_id, 1, of_a_user, period);
  if wait is null then return null; end if;
  return verdict('too_many_changes') || jsonb_build_object('wait', ceil(extract(epoch from wait))) || logged(user_id);
end $$;
