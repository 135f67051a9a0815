-- A purchase that was sold with `ignoreActivePurchase` replaces its buyer's older subscriptions: once it is paid, or on trial, none of
-- them is charged again (contract section 4.2: renew/upgrade flows).

-- Whether a purchase replaces older ones: its checkout was opened to, and it is a subscription or gives access.
create function is_replacement(p purchases) returns boolean language plpgsql stable as $$
begin
  return p.begun and (p.interval is not null or p.access)
    and (select c.replaces from checkouts c where c.id = p.checkout_id);
end $$;

-- Marks what a purchase that has begun just now replaces; or the purchase itself, if we hear of it only after a newer one that
-- replaces it. What is older began earlier at its processor, whenever we heard of it, so of two upgrades that are paid together one
-- stays. Each pair is decided once, here: the member's row must be locked.
create function mark_replaced(begun purchases) returns void language plpgsql as $$
declare
  present constant timestamptz := paywall_now(begun.paywall_id);
begin
  update purchases older
  set replaced_by = newer.id, stop_requested_at = present, reconcile_at = present
  from purchases newer
  where (older.paywall_id, older.user_id) = (begun.paywall_id, begun.user_id)
    and (newer.paywall_id, newer.user_id) = (begun.paywall_id, begun.user_id)
    and begun.id in (older.id, newer.id)
    and (older.started_at, older.id) < (newer.started_at, newer.id)
    and older.interval is not null and older.status <> 'canceled' and older.stop_requested_at is null
    and newer.status not in ('canceled', 'refunded') and is_replacement(newer);
end $$;

-- Whether a subscription that is replaced still looks as if it renewed: until a read from after its stop shows that it does not.
create function is_being_replaced(p purchases) returns boolean language sql stable as $$
  select p.replaced_by is not null and p.status <> 'canceled' and not p.cancel_at_period_end
    and coalesce(p.fetched_at < p.stopped_at, true)
$$;

-- The member's subscriptions that their processors are still to be asked never to charge again: `StopOrder` in
-- lib/purchases/stop-charging.ts. Each at the account that sold it, also if the paywall sells through another processor by now.
create function stop_orders_json(paywall_id text, user_id uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(stop_order_json(p) order by p.started_at), '[]') from purchases p
    where p.paywall_id = stop_orders_json.paywall_id and p.user_id = stop_orders_json.user_id
      and p.stop_requested_at is not null and p.stopped_at is null);
end $$;

create function stop_order_json(p purchases) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'purchase_id', p.id, 'processor_id', p.processor_id, 'now', p.ended_by_owner_at is not null,
    'account', account_json(p.paywall_id, p.acquiring));
end $$;
