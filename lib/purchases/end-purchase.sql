-- Lets an owner end a purchase: the endpoint end-purchase and `paywall purchases end`.

-- Ends a purchase at once. Its processor must end a subscription, too: the caller may request that, and the reconcile cron does, until it is
-- done. No money is refunded and no tokens are taken back. `is_new` is false if it had ended before. `reason` is the owner's note; null
-- keeps the reason of an earlier cancellation. Locks the member and then the purchase.
create function end_purchase(
  purchase_id uuid, reason text default null, out is_new boolean, out after purchases, out queued integer
) language plpgsql as $$
declare
  before purchases;
  present timestamptz;
  owner_id uuid;
begin
  select * into strict before from purchases p where p.id = purchase_id;
  perform lock_checkout_member(before.paywall_id, before.checkout_id);
  select * into before from purchases p where p.id = purchase_id for no key update;
  after := before;
  is_new := before.status not in ('canceled', 'refunded');
  if not is_new then return; end if;

  present := paywall_now(before.paywall_id);
  after.cancellation_reason := coalesce(reason, before.cancellation_reason);
  after.ended_by_owner_at := present;
  after := set_status_times(apply_owner_end(after), before, present);
  if after.interval is not null then
    after.stop_requested_at := present;
    after.stopped_at := null;
    after.stop_alerted_at := null;
    after.reconcile_at := present;
  else
    after.reconcile_at := purchase_due(after, after.polled_at);
  end if;
  perform write_purchase(after, false);
  update purchases p set
    ended_by_owner_at = after.ended_by_owner_at, stop_requested_at = after.stop_requested_at, stopped_at = after.stopped_at,
    stop_alerted_at = after.stop_alerted_at
  where p.id = after.id;
  owner_id := (select p.owner_id from paywalls p where p.id = after.paywall_id);
  perform record_subscription_changes(owner_id, after.id);
  queued := emit_purchase_events(owner_id, null, before, after, '{}', '{}');
end $$;

-- Applies the owner's decision: a purchase that the owner has ended stays ended, whatever its processor reports until it has ended there.
create function apply_owner_end(p purchases) returns purchases language plpgsql stable as $$
begin
  if p.ended_by_owner_at is null or p.status in ('canceled', 'refunded') then return p; end if;
  p.status := 'canceled';
  p.canceled_at := coalesce(p.canceled_at, p.ended_by_owner_at);
  return p;
end $$;
