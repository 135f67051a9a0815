-- Gives the claim up, because this attempt failed: the next one gets it at once. Does nothing if another attempt has it by now.
-- If the processor answered, the attempt number goes up, which changes the idempotency key: under the old key the processor
-- would replay its stored answer. Locks the claim.
create function give_up_checkout(paywall_id text, caller text, key uuid, holder uuid, answered boolean) returns jsonb
language plpgsql security definer as $$
begin
  update checkout_claims k set leased_until = now(), attempt = k.attempt + answered::int
  where k.paywall_id = give_up_checkout.paywall_id and k.caller = give_up_checkout.caller and k.idempotency_key = key
    and k.holder = give_up_checkout.holder;
  return to_jsonb(found);
end $$;
