-- What the owner is told of a purchase that was stored, in the order in which store_purchase calls these. Each gives the
-- number of deliveries that now wait. The member's row must be locked.

-- `checkout.completed`, once, when the purchase has begun.
create function tell_of_checkout(owner_id uuid, checkout checkouts, after purchases) returns integer language plpgsql as $$
begin
  if checkout.completed_at is not null or not after.begun then return 0; end if;
  update checkouts c set completed_at = now() where c.id = checkout.id and c.completed_at is null;
  return tell(owner_id, after.paywall_id, after.user_id, 'checkout.completed', jsonb_build_object(
    'id', checkout.id, 'price_id', checkout.price_id, 'purchase_id', after.id, 'currency', checkout.currency,
    'amount', checkout.amount, 'shop_url', checkout.shop_url, 'completed_at', iso(now())));
end $$;

-- The events of a subscription's life; last, that its trial is about to end.
create function tell_of_subscription(owner_id uuid, before purchases, after purchases) returns integer language plpgsql as $$
declare
  object constant jsonb := purchase_json(after);
  previous constant jsonb := case when before.id is not null then purchase_json(before) end;
  type text;
  queued integer := 0;
begin
  foreach type in array subscription_events(before, after, object <> coalesce(previous, '{}')) loop
    queued := queued + tell(owner_id, after.paywall_id, after.user_id, type, object, previous);
  end loop;
  if after.trial_end_told is distinct from before.trial_end_told then
    queued := queued + tell(owner_id, after.paywall_id, after.user_id, 'subscription.trial_ending', object);
  end if;
  return queued;
end $$;

-- The types of the events that tell of a change of a subscription: one for each thing that has a type of its own, else
-- `updated` if the API shows any change (`is_visible`). A period counts as renewed when it is covered, which may be later than it
-- began. There is none before the first payment, and none for a one-time purchase: its checkout and its payments tell of it.
create function subscription_events(before purchases, after purchases, is_visible boolean) returns text[]
language plpgsql immutable as $$
declare
  ended constant boolean := after.status = 'canceled';
  named text[];
begin
  if after.interval is null or not after.begun then return '{}'; end if;
  if before.id is null or not before.begun then return '{subscription.created}'; end if;
  named := array_remove(array[
    case when ended and before.status <> 'canceled' then 'subscription.ended' end,
    case when after.status = 'past_due' and before.status <> 'past_due' then 'subscription.past_due' end,
    case when after.paid_period_start > before.paid_period_start then 'subscription.renewed' end,
    case when not ended and after.cancel_at_period_end and not before.cancel_at_period_end
      then 'subscription.cancel_scheduled' end,
    case when not ended and before.cancel_at_period_end and not after.cancel_at_period_end
      then 'subscription.uncanceled' end
  ], null);
  return case when named <> '{}' then named when is_visible then '{subscription.updated}' else '{}' end;
end $$;

-- Stores what a processor event says of a payment, once for each payment and kind, and tells of it.
create function note_payment(owner_id uuid, purchase purchases, fact jsonb) returns integer language plpgsql as $$
declare
  payment payments;
begin
  if fact is null or fact = 'null' then return 0; end if;
  insert into payments as p (purchase_id, paywall_id, acquiring, processor_payment, kind, amount, currency, occurred_at)
  values (purchase.id, purchase.paywall_id, purchase.acquiring, fact ->> 'id', fact ->> 'kind',
    (fact ->> 'amount')::bigint, fact ->> 'currency', (fact ->> 'occurred_at')::timestamptz)
  on conflict do nothing returning p.* into payment;
  if not found then return 0; end if;
  return tell(owner_id, purchase.paywall_id, purchase.user_id, 'payment.' || payment.kind, jsonb_build_object(
    'id', payment.id, 'purchase_id', purchase.id, 'amount', payment.amount, 'currency', payment.currency,
    'occurred_at', iso(payment.occurred_at)));
end $$;

-- Credits the tokens of the price, once for each period that is covered, in the order of their types. A balance that
-- would be too large is filled up.
create function credit_tokens(owner_id uuid, before purchases, after purchases) returns integer language plpgsql as $$
declare
  tokens record;
  balance_count bigint;
  queued integer := 0;
begin
  if after.paid_period_start is not distinct from before.paid_period_start then return 0; end if;
  for tokens in
    select t ->> 'type' as type, (t ->> 'count')::bigint as count
    from prices p, jsonb_array_elements(p.tokens) t where p.id = after.price_id order by 1
  loop
    select b.count into balance_count from balances b
    where (b.paywall_id, b.user_id, b.type) = (after.paywall_id, after.user_id, tokens.type);
    balance_count := coalesce(balance_count, 0);
    continue when balance_count = largest_balance();
    queued := queued + tell_balance(owner_id, move_tokens(after.paywall_id, after.user_id, tokens.type,
      least(tokens.count, largest_balance() - balance_count), 'plan', after.id::text));
  end loop;
  return queued;
end $$;
