-- Emits `subscription.access_ended`, once, if a subscription that cannot be read no longer gives access. Returns the number of queued
-- deliveries. Locks the member and the purchase.
create function record_access_end(purchase_id uuid) returns jsonb language plpgsql security definer as $$
declare
  before purchases;
  after purchases;
  present timestamptz;
begin
  select * into before from purchases p where p.id = purchase_id;
  perform lock_checkout_member(before.paywall_id, before.checkout_id);
  select * into before from purchases p where p.id = purchase_id for no key update;
  present := paywall_now(before.paywall_id);
  if before.access_ended_at is not null or not before.begun or not is_past_grace(before, present) then return to_jsonb(0); end if;

  after := before;
  after.access_ended_at := present;
  perform write_purchase(after, false);
  return to_jsonb(emit_purchase_events(
    (select p.owner_id from paywalls p where p.id = after.paywall_id), null, before, after, '{}', '{}'));
end $$;
