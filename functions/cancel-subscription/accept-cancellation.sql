-- Records that the processor accepted the request that was claimed at `requested_at`. Does nothing if another call has taken the claim
-- over. `versions` are the versions of the objects in the processor's reply: no older read is stored from now on. Returns the paywall's
-- time before the fetch that follows, which becomes the snapshot's `fetched_at`. Locks the subscription's row.
create function accept_cancellation(subscription_id uuid, requested_at timestamptz, versions jsonb default null) returns jsonb
language plpgsql security definer as $$
declare
  subscription purchases := lock_claimed_subscription(subscription_id, requested_at);
begin
  subscription.cancel_accepted_at := paywall_now(subscription.paywall_id);
  update purchases p set cancel_accepted_at = subscription.cancel_accepted_at,
    versions = case when is_behind(p.versions, accept_cancellation.versions, true)
      then p.versions || accept_cancellation.versions else p.versions end,
    reconcile_at = purchase_due(subscription, p.polled_at)
  where p.id = subscription.id;
  return to_jsonb(time_before_fetch(subscription.paywall_id));
end $$;
