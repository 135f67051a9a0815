-- A change of plan as a row of plan_changes: its id is the quote of a preview.

-- Stores a change of plan that can be requested for 15 minutes. Returns its row. The subscription's row must be locked.
create function new_plan_change(
  owner_id uuid, subscription purchases, price prices, quantity bigint, takes_effect text
) returns plan_changes language plpgsql as $$
declare
  present constant timestamptz := paywall_now(subscription.paywall_id);
  change plan_changes;
begin
  insert into plan_changes as c (
    owner_id, paywall_id, purchase_id, from_price_id, from_quantity, to_price_id, quantity, processor_price, amount,
    currency, takes_effect, options, priced_at, period_end, expires_at, created_at
  ) values (
    owner_id, subscription.paywall_id, subscription.id, subscription.price_id, subscription.quantity, price.id, quantity,
    price.processor_price, price.amount, price.currency, takes_effect,
    coalesce((select p.settings -> 'checkout' from paywalls p where p.id = subscription.paywall_id), '{}'),
    present, subscription.current_period_end, plan_change_expiry(subscription.paywall_id), present
  ) returning c.* into change;
  return change;
end $$;

-- Until when a change can be requested if its preview is made now, or repeated if it is requested now.
create function plan_change_expiry(paywall_id text) returns timestamptz language plpgsql stable as $$
begin
  return paywall_now(paywall_id) + interval '15 minutes';
end $$;

-- Everything that the processor call needs, and the plans before and after as the API shows them: see `RequestedChange` in
-- requested-change.ts.
create function plan_change_json(change plan_changes, subscription purchases) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'owner_id', change.owner_id, 'id', change.id, 'attempt', change.attempt,
      'account', account_json(subscription.paywall_id, subscription.acquiring), 'processor_id', subscription.processor_id,
      'processor_price', change.processor_price, 'takes_effect', change.takes_effect, 'priced_at', iso(change.priced_at),
      'due_now', change.due_now, 'expires_at', iso(change.expires_at), 'subscription_id', subscription.id,
      'is_cancelled', subscription.cancel_at_period_end,
      'options', change.options,
      'from', jsonb_build_object(
        'price_id', shown ->> 'price_id', 'price_slug', shown ->> 'price_slug', 'unit_amount', subscription.unit_amount,
        'quantity', subscription.quantity, 'currency', subscription.currency, 'interval', subscription.interval, 'interval_count', subscription.interval_count),
      'to', jsonb_build_object(
        'price_id', price.id, 'price_slug', price.slug, 'unit_amount', change.amount, 'quantity', change.quantity,
        'currency', change.currency,
        'interval', price.interval, 'interval_count', price.interval_count))
    from prices price cross join purchase_json(subscription) shown
    where price.id = change.to_price_id);
end $$;
