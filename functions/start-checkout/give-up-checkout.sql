-- Gives the claim up, because this attempt failed: the next one gets it at once. Does nothing if another attempt has it by now.
-- If the processor itself said no, the attempt's number moves on: under the same key it would only say the same again.
create function give_up_checkout(paywall_id text, caller text, key uuid, holder uuid, answered boolean) returns jsonb
language sql security definer as $$
  update checkout_claims k set leased_until = now(), attempt = k.attempt + answered::int
  where k.paywall_id = give_up_checkout.paywall_id and k.caller = give_up_checkout.caller and k.idempotency_key = key
    and k.holder = give_up_checkout.holder
  returning to_jsonb(true)
$$;
