-- What the owner is told of a purchase that was stored.

-- The order of the events that one call of store_purchase can write: test/functions/event-order.test.ts compares it with the
-- types that there are.
create function event_order() returns text[] language sql immutable as $$
  select array[
    'checkout.completed',
    'subscription.created', 'subscription.ended', 'subscription.past_due', 'subscription.renewed',
    'subscription.cancel_scheduled', 'subscription.uncanceled', 'subscription.updated', 'subscription.trial_ending',
    'payment.succeeded', 'payment.failed', 'payment.refunded', 'payment.disputed',
    'balance.changed']
$$;

-- Tells of everything that storing a purchase has changed: of its checkout if that is completed now (else null), of the
-- purchase, of a new payment (else null) and of the credits in the ledger. Gives how many deliveries it has queued. The
-- member's row must be locked.
create function tell_of_purchase(
  owner_id uuid, completed checkouts, before purchases, after purchases, payment payments, credits ledger[]
) returns integer language plpgsql as $$
declare
  object constant jsonb := purchase_json(after);
  previous constant jsonb := case when before.id is not null then purchase_json(before) end;
  types text[] := subscription_events(before, after, object is distinct from previous);
  type text;
  credit ledger;
  queued integer := 0;
begin
  if completed.id is not null then types := types || 'checkout.completed'::text; end if;
  if payment.id is not null then types := types || ('payment.' || payment.kind); end if;

  foreach type in array event_order() loop
    if type = 'balance.changed' then
      foreach credit in array credits loop queued := queued + tell_balance(owner_id, credit); end loop;
    elsif type = any (types) then
      queued := queued + tell(
        owner_id, after.paywall_id, after.user_id, type,
        case split_part(type, '.', 1)
          when 'checkout' then completed_checkout_json(completed, object)
          when 'payment' then payment_json(payment)
          else object end,
        case when type like 'subscription.%' and type <> 'subscription.trial_ending' then previous end);
    end if;
  end loop;
  return queued;
end $$;

-- The types of the events that tell of a change of a subscription: one for each thing that has a type of its own, else
-- `updated` if the API shows any change (`is_visible`); and `trial_ending`. A period counts as renewed when it is covered,
-- which may be later than it began. A purchase that has not begun, and a one-time purchase, have none but `trial_ending`.
create function subscription_events(before purchases, after purchases, is_visible boolean) returns text[]
language plpgsql immutable as $$
declare
  has_ended constant boolean := after.status = 'canceled';
  trial_ending constant text[] := case
    when after.trial_end_told is distinct from before.trial_end_told then '{subscription.trial_ending}' else '{}' end;
  types text[];
begin
  if after.interval is null or not after.begun then return trial_ending; end if;
  if before.id is null or not before.begun then return '{subscription.created}' || trial_ending; end if;
  types := array_remove(array[
    case when has_ended and before.status <> 'canceled' then 'subscription.ended' end,
    case when after.status = 'past_due' and before.status <> 'past_due' then 'subscription.past_due' end,
    case when after.paid_period_start > before.paid_period_start then 'subscription.renewed' end,
    case when not has_ended and after.cancel_at_period_end and not before.cancel_at_period_end
      then 'subscription.cancel_scheduled' end,
    case when not has_ended and before.cancel_at_period_end and not after.cancel_at_period_end
      then 'subscription.uncanceled' end
  ], null);
  if types = '{}' and is_visible then types := '{subscription.updated}'; end if;
  return types || trial_ending;
end $$;

-- A completed checkout as its event shows it, with the features of what it sold: a one-time purchase has no event that tells them.
-- `purchase` is as the API shows it.
create function completed_checkout_json(checkout checkouts, purchase jsonb) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'id', checkout.id, 'price_id', checkout.price_id, 'purchase_id', purchase -> 'id', 'features', purchase -> 'features',
    'currency', checkout.currency, 'amount', checkout.amount, 'shop_url', checkout.shop_url,
    'completed_at', iso(checkout.completed_at));
end $$;

-- A payment as its event shows it.
create function payment_json(payment payments) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'id', payment.id, 'purchase_id', payment.purchase_id, 'amount', payment.amount, 'currency', payment.currency,
    'occurred_at', iso(payment.occurred_at));
end $$;
