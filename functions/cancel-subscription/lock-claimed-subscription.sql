-- Locks and returns a subscription if the claim made at `requested_at` is still held; all null if it is not.
create function lock_claimed_subscription(subscription_id uuid, requested_at timestamptz) returns purchases
language plpgsql as $$
begin
  return (
    select p from purchases p
    where p.id = subscription_id and p.cancel_requested_at = requested_at and p.cancel_accepted_at is null
    for no key update);
end $$;
