-- The events about a stored purchase.

-- The order of the events of one call of store_purchase: test/functions/event-order.test.ts checks that it has all types.
create function event_order() returns text[] language sql immutable as $$
  select array[
    'checkout.completed',
    'subscription.created', 'subscription.ended', 'subscription.past_due', 'subscription.access_ended', 'subscription.recovered',
    'subscription.plan_changed', 'subscription.plan_change_scheduled', 'subscription.renewed',
    'subscription.cancel_scheduled', 'subscription.uncanceled', 'subscription.updated', 'subscription.trial_ending',
    'payment.succeeded', 'payment.failed', 'payment.refunded', 'payment.refund_failed',
    'payment.disputed', 'payment.dispute_lost', 'payment.dispute_won', 'payment.unexpected',
    'balance.changed']
$$;

-- Emits the events for everything that storing a purchase changed: for its checkout if it was completed now (else null), for the purchase,
-- for its new payments and for the credits in the ledger. Returns the number of queued deliveries. The member's row must be locked.
create function emit_purchase_events(
  owner_id uuid, completed checkouts, before purchases, after purchases, noted payments[], credits ledger[]
) returns integer language plpgsql as $$
declare
  object constant jsonb := purchase_json(after, after.fetched_at);
  previous constant jsonb := case when before.begun then purchase_json(before, before.fetched_at) end;
  types text[] := subscription_events(before, after, object is distinct from previous);
  type text;
  credit ledger;
  payment payments;
  queued integer := 0;
begin
  if completed.id is not null then types := types || 'checkout.completed'::text; end if;

  foreach type in array event_order() loop
    if type = 'balance.changed' then
      foreach credit in array credits loop queued := queued + emit_balance_event(owner_id, credit); end loop;
    elsif type like 'payment.%' then
      foreach payment in array noted loop
        continue when type <> 'payment.' || payment.kind and not (type = 'payment.unexpected' and is_unexpected(payment, after));
        queued := queued + emit_event(owner_id, after.paywall_id, after.user_id, type, payment_json(payment, after));
      end loop;
    elsif type = any (types) then
      queued := queued + emit_event(
        owner_id, after.paywall_id, after.user_id, type,
        case split_part(type, '.', 1)
          when 'checkout' then completed_checkout_json(completed, after)
          else object end,
        case when type like 'subscription.%' and type <> 'subscription.trial_ending' then previous end);
    end if;
  end loop;
  return queued;
end $$;

-- The types of the events for a change of a subscription: one for each change with a type of its own, else `updated` if the API shows any
-- change (`is_visible`); and `trial_ending`. A period counts as renewed once it is covered, which may be later than it began. A purchase
-- that has not begun, and a one-time purchase, have none but `trial_ending`.
create function subscription_events(before purchases, after purchases, is_visible boolean) returns text[]
language plpgsql stable as $$
declare
  has_ended constant boolean := after.status = 'canceled';
  is_other_plan constant boolean := has_other_plan(before, after);
  trial_ending constant text[] := case
    when after.trial_ending_notified_for is distinct from before.trial_ending_notified_for then '{subscription.trial_ending}' else '{}' end;
  types text[];
begin
  if after.interval is null or not after.begun then return trial_ending; end if;
  if before.id is null or not before.begun then return '{subscription.created}' || trial_ending; end if;
  types := array_remove(array[
    case when has_ended and before.status <> 'canceled' then 'subscription.ended' end,
    case when after.status = 'past_due' and before.status <> 'past_due' then 'subscription.past_due' end,
    case when after.access_ended_at is not null and before.access_ended_at is null then 'subscription.access_ended' end,
    case when after.access_ended_at is null and before.access_ended_at is not null and after.status = 'active'
      then 'subscription.recovered' end,
    case when is_other_plan then 'subscription.plan_changed' end,
    case when is_change_scheduled(before, after) then 'subscription.plan_change_scheduled' end,
    case when after.paid_period_start > before.paid_period_start
      and not (is_other_plan and after.paid_period_start < before.current_period_end) then 'subscription.renewed' end,
    case when not has_ended and after.cancel_at_period_end and not before.cancel_at_period_end
      then 'subscription.cancel_scheduled' end,
    case when not has_ended and before.cancel_at_period_end and not after.cancel_at_period_end
      then 'subscription.uncanceled' end
  ], null);
  if types = '{}' and is_visible then types := '{subscription.updated}'; end if;
  return types || trial_ending;
end $$;

-- A completed checkout as its event shows it. Price and features are those of what it sold, whatever the purchase is charged for by now; a
-- one-time purchase has no event of its own that shows them. `duplicate_of` is the purchase that should have prevented it: both pages were
-- open before either was paid, so the buyer has paid twice, or will.
create function completed_checkout_json(checkout checkouts, purchase purchases) returns jsonb language plpgsql stable as $$
declare
  sold constant prices := price_sold(checkout, purchase);
begin
  return jsonb_build_object(
    'id', checkout.id, 'price_id', sold.id, 'price_slug', sold.slug, 'purchase_id', purchase.id,
    'features', price_features(sold), 'quantity', case when purchase.interval is null then purchase.quantity else checkout.quantity end,
    'currency', checkout.currency, 'amount', checkout.charged, 'shop_url', checkout.shop_url,
    'duplicate_of', duplicated_purchase(checkout, purchase), 'offer', used_offer_json(checkout, purchase),
    'completed_at', iso(checkout.completed_at));
end $$;

-- The price that a page sold. A processor that charges the current amount may have sold an edited version of the page's price: then it is
-- the purchase's price, recognised by the same slug and interval.
create function price_sold(checkout checkouts, purchase purchases) returns prices language plpgsql stable as $$
declare
  opened constant prices := (select price from prices price where price.id = checkout.price_id);
  charged constant prices := (select price from prices price where price.id = purchase.price_id);
begin
  return case when purchase.processor_price = checkout.processor_price and charged.slug = opened.slug
    and is_same_period_length(charged.interval, charged.interval_count, opened.interval, opened.interval_count)
    then charged else opened end;
end $$;

create function duplicated_purchase(checkout checkouts, purchase purchases) returns uuid language plpgsql stable as $$
declare
  price prices;
begin
  if checkout.replaces then return null; end if;
  select * into price from prices p where p.id = checkout.price_id;
  return (blocking_purchase(purchase.paywall_id, purchase.user_id, price, except_id => purchase.id)).id;
end $$;
