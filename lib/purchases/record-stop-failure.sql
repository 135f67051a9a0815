-- Records that a processor could not be called to stop charging a subscription, or refused. After a day of failures it emits
-- `subscription.stop_failed`, once: its buyer may be charged twice. The reconcile cron keeps retrying. Returns the number of queued
-- deliveries. Locks the member and the purchase.
create function record_stop_failure(purchase_id uuid) returns jsonb language plpgsql security definer as $$
declare
  alert_after constant interval := '24 hours';
  purchase purchases;
  present timestamptz;
begin
  select * into purchase from purchases p where p.id = purchase_id;
  perform lock_checkout_member(purchase.paywall_id, purchase.checkout_id);
  select * into purchase from purchases p where p.id = purchase_id for no key update;
  present := paywall_now(purchase.paywall_id);
  if purchase.stopped_at is not null or purchase.stop_alerted_at is not null or present < purchase.stop_requested_at + alert_after then
    return to_jsonb(0);
  end if;
  update purchases p set stop_alerted_at = present where p.id = purchase.id;
  return to_jsonb(emit_event(
    (select p.owner_id from paywalls p where p.id = purchase.paywall_id),
    purchase.paywall_id, purchase.user_id, 'subscription.stop_failed', purchase_json(purchase, purchase.fetched_at)));
end $$;
