-- Records that a processor no longer charges a subscription. Returns the paywall's time before the fetch that follows, which becomes the
-- snapshot's `fetched_at`. Locks the purchase.
create function record_stop(purchase_id uuid) returns jsonb language plpgsql security definer as $$
declare
  purchase purchases;
begin
  select * into purchase from purchases p where p.id = purchase_id for no key update;
  purchase.stopped_at := coalesce(purchase.stopped_at, paywall_now(purchase.paywall_id));
  update purchases p set stopped_at = purchase.stopped_at, reconcile_at = purchase_due(purchase, p.polled_at)
  where p.id = purchase.id;
  return to_jsonb(time_before_fetch(purchase.paywall_id));
end $$;
