-- Records that the processor took the request that was claimed at `requested_at`; nothing if the claim was taken over
-- meanwhile. `versions` are those of the objects that the processor's reply shows: no read that is older is stored from now on.
-- Gives the paywall's time before the fetch that follows, stored as the fetch's time (`fetched_at`). Locks the subscription's row.
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
