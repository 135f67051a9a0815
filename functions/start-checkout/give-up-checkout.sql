-- Lets the next try have the claim at once, because this one failed. If that was the processor's own answer, the attempt number
-- moves on: the same key at the processor would only get the same answer.
create function give_up_checkout(paywall_id text, caller text, key uuid, holder uuid, answered boolean) returns jsonb
language sql security definer as $$
  update checkout_claims k set leased_until = now(), attempt = k.attempt + answered::int
  where k.paywall_id = give_up_checkout.paywall_id and k.caller = give_up_checkout.caller and k.idempotency_key = key
    and k.holder = give_up_checkout.holder
  returning to_jsonb(true)
$$;
