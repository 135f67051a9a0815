-- Lets a request that was claimed at `requested_at` be retried at once. Does nothing if another call has taken the claim over. Locks the
-- subscription's row.
--
-- The mark is removed if the processor is known not to have accepted the request. If that is unknown, the mark stays with its lease
-- expired: the next call may retry, and reconcile fetches the subscription.
create function give_up_cancellation(subscription_id uuid, requested_at timestamptz, is_known boolean) returns jsonb
language plpgsql security definer as $$
declare
  subscription purchases := lock_claimed_subscription(subscription_id, requested_at);
begin
  subscription.cancel_requested_at := case when not is_known then paywall_now(subscription.paywall_id) - cancellation_lease() end;
  update purchases p set
    cancel_requested_at = subscription.cancel_requested_at,
    cancellation_reason = case when not is_known then p.cancellation_reason end,
    reconcile_at = purchase_due(subscription, p.polled_at)
  where p.id = subscription.id;
  return to_jsonb(found);
end $$;
