-- Ends the attempt that holds a claim. With a `reply`, the processor has accepted the change: from now on calls with the key get that reply,
-- and the subscription is fetched soon. Without one nothing has changed, or it is unknown: the next call may retry at once, and
-- `has_answered` gives it a new key at the processor. Returns the paywall's time before the fetch that follows; null if another attempt has
-- taken the claim over. Locks the claim and then the subscription's row.
create function finish_plan_change(
  owner_id uuid, change_id uuid, holder uuid, reply text default null, has_answered boolean default false
) returns jsonb language plpgsql security definer as $$
declare
  change plan_changes;
  subscription purchases;
begin
  update plan_changes c
  set reply = finish_plan_change.reply, leased_until = null, attempt = c.attempt + case when has_answered then 1 else 0 end
  where (c.owner_id, c.id, c.holder) = (finish_plan_change.owner_id, change_id, finish_plan_change.holder)
  returning c.* into change;
  if change.reply is null then return null; end if;

  select * into subscription from purchases p where p.id = change.purchase_id for no key update;
  subscription.plan_changed_at := paywall_now(subscription.paywall_id);
  update purchases p
  set plan_changed_at = subscription.plan_changed_at, reconcile_at = purchase_due(subscription, p.polled_at)
  where p.id = subscription.id;
  return to_jsonb(time_before_fetch(subscription.paywall_id));
end $$;
