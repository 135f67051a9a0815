-- A purchase that was sold with `ignoreActivePurchase` replaces its buyer's older subscriptions: once it is paid, or on trial, none of them
-- is charged again (contract section 4.2: renew/upgrade flows).

-- Whether a purchase replaces older ones: its checkout was opened for that, and it is a subscription or gives access.
create function is_replacement(p purchases) returns boolean language plpgsql stable as $$
begin
  return p.begun and (p.interval is not null or p.access)
    and (select c.replaces from checkouts c where c.id = p.checkout_id);
end $$;

-- Marks the subscriptions that a purchase replaces now that it has begun; or the purchase itself, if it is reported only after a newer one
-- that replaces it. Age is decided by the start at the processor, not by the time of the report, so of two upgrades that are paid together
-- one remains; of two that start in the same second, one that replaces counts as newer than one that does not. Each pair is decided once,
-- here: the member's row must be locked. One that was stopped before is stopped again, since its buyer may have undone that at its
-- processor. Charges of an older one in the meantime emit an event. Returns the number of queued deliveries.
create function mark_replaced(owner_id uuid, begun purchases) returns integer language plpgsql as $$
declare
  present constant timestamptz := paywall_now(begun.paywall_id);
  pair record;
  after purchases;
  charge payments;
  queued integer := 0;
begin
  for pair in
    select distinct on (older.started_at, older.id) older, newer.id as newer_id
    from purchases older join purchases newer
      on (newer.paywall_id, newer.user_id) = (older.paywall_id, older.user_id)
        and (older.started_at, coalesce(is_replacement(older), false), older.id) < (newer.started_at, true, newer.id)
    where (older.paywall_id, older.user_id) = (begun.paywall_id, begun.user_id) and begun.id in (older.id, newer.id)
      and older.interval is not null and older.status <> 'canceled'
      and (older.stop_requested_at is null or older.stopped_at is not null)
      and newer.status not in ('canceled', 'refunded') and is_replacement(newer)
    order by older.started_at, older.id, newer.started_at, newer.id
  loop
    update purchases p
    set replaced_by = pair.newer_id, stop_requested_at = present, stopped_at = null, stop_alerted_at = null, reconcile_at = present
    where p.id = (pair.older).id returning * into after;
    for charge in
      select * from payments p
      where p.purchase_id = after.id and is_unexpected(p, after) and not is_unexpected(p, pair.older) order by p.occurred_at
    loop
      queued := queued + emit_event(owner_id, after.paywall_id, after.user_id, 'payment.unexpected', payment_json(charge, after));
    end loop;
  end loop;
  return queued;
end $$;

-- Requests another stop of a subscription that was paid up when it was stopped, and has become past due since: a charge that was in progress
-- has failed, or its payment was disputed. Its processor would retry the charge although the end is scheduled. One whose end was undone is
-- left alone. Returns whether it did. The member's row must be locked.
create function request_stop_again(before purchases, after purchases) returns boolean language plpgsql as $$
declare
  present constant timestamptz := paywall_now(after.paywall_id);
begin
  if after.stopped_at is null or after.status <> 'past_due' or before.status = 'past_due' or not after.cancel_at_period_end then
    return false;
  end if;
  update purchases p set stop_requested_at = present, stopped_at = null, stop_alerted_at = null, reconcile_at = present
  where p.id = after.id;
  return true;
end $$;

-- When a subscription was replaced: when the newer purchase was paid, or its trial began. Null if it was not replaced.
create function replaced_at(p purchases) returns timestamptz language plpgsql stable as $$
begin
  return (
    select coalesce(
      case when newer.trial_start is null then
        (select min(paid.occurred_at) from payments paid where paid.purchase_id = newer.id and paid.kind = 'succeeded') end,
      newer.started_at)
    from purchases newer where newer.id = p.replaced_by);
end $$;

-- Whether a replaced subscription still appears to renew: until a read after its stop shows that it does not.
create function is_being_replaced(p purchases) returns boolean language sql stable as $$
  select p.replaced_by is not null and p.status <> 'canceled' and not p.cancel_at_period_end
    and coalesce(p.fetched_at < p.stopped_at, true)
$$;

-- The member's subscriptions whose processors have yet to stop charging them: `StopOrder` in lib/purchases/stop-charging.ts. Each at the
-- account that sold it, even if the paywall has switched processors since.
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
