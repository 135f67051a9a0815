-- Gives the claim up after a failed attempt: the next attempt gets it at once. Does nothing if another attempt holds it by now. If the
-- processor responded, the attempt number is incremented, which changes the idempotency key: under the old key the processor would replay
-- its stored response. It has then opened no page, so the offer that the attempt has reserved is free again. Locks the claim.
create function give_up_checkout(paywall_id text, caller text, key uuid, holder uuid, answered boolean) returns jsonb
language plpgsql security definer as $$
declare
  given_up uuid;
begin
  update checkout_claims k set leased_until = now(), attempt = k.attempt + answered::int
  where k.paywall_id = give_up_checkout.paywall_id and k.caller = give_up_checkout.caller and k.idempotency_key = key
    and k.holder = give_up_checkout.holder
  returning k.checkout_id into given_up;
  if answered then perform free_offer(given_up); end if;
  return to_jsonb(given_up is not null);
end $$;
