-- What came of a request to cancel that was claimed at `requested_at`. Each does nothing if the claim was taken over meanwhile.

-- Records that the processor took the request. Gives the database's clock: whatever is fetched after it is newer than it.
create function accept_cancellation(subscription_id uuid, requested_at timestamptz) returns jsonb
language plpgsql security definer as $$
declare
  subscription purchases := lock_claimed(subscription_id, requested_at);
begin
  subscription.cancel_accepted_at := now();
  update purchases p set cancel_accepted_at = now(), reconcile_at = purchase_due(subscription, p.looked_at)
  where p.id = subscription.id;
  return to_jsonb(clock_timestamp()::text);
end $$;

-- Lets the request be made again at once. The mark is taken back if the processor is known not to have taken it; else it
-- stays, as one whose lease is over, so that the reconcile cron looks what came of it.
create function give_up_cancellation(subscription_id uuid, requested_at timestamptz, is_known boolean) returns jsonb
language plpgsql security definer as $$
declare
  subscription purchases := lock_claimed(subscription_id, requested_at);
begin
  subscription.cancel_requested_at := case when not is_known then now() - cancellation_lease() end;
  update purchases p set
    cancel_requested_at = subscription.cancel_requested_at,
    cancellation_reason = case when not is_known then p.cancellation_reason end,
    reconcile_at = purchase_due(subscription, p.looked_at)
  where p.id = subscription.id;
  return to_jsonb(found);
end $$;

-- The subscription, its row locked, while the claim is still held; all null if it is not.
create function lock_claimed(subscription_id uuid, requested_at timestamptz) returns purchases language sql as $$
  select p from purchases p
  where p.id = subscription_id and p.cancel_requested_at = requested_at and p.cancel_accepted_at is null
  for no key update
$$;
