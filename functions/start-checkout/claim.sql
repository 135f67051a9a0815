-- The claim of an Idempotency-Key: the row that decides which of several calls opens the checkout.

-- Reads a key's claim without a lock; all null if there is none that is still valid.
create function find_claim(paywall_id text, caller text, key uuid) returns checkout_claims language plpgsql stable as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
begin
  return (
    select k from checkout_claims k
    where k.paywall_id = find_claim.paywall_id and k.caller = find_claim.caller and k.idempotency_key = find_claim.key
      and k.claimed_at > present - idempotency_window());
end $$;

-- Gives the claim to this attempt if it is free: it is new, it has expired, or the previous attempt's lease has expired, as after a crash.
-- Returns the claim as it is afterwards, its row locked: `holder` says whose it is. The Idempotency-Key must be locked, and the hash of a
-- valid claim must have been compared.
create function acquire_claim(
  paywall_id text, caller text, key uuid, new_hash text, new_holder uuid, lease_end timestamptz
) returns checkout_claims language plpgsql as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  claim checkout_claims;
begin
  insert into checkout_claims as k (
    paywall_id, caller, idempotency_key, request_hash, checkout_id, holder, leased_until, claimed_at
  ) values (paywall_id, caller, key, new_hash, gen_random_uuid(), new_holder, lease_end, present)
  on conflict on constraint checkout_claims_pkey do update set holder = k.holder -- a no-op that locks the row
  returning k.* into claim;
  if claim.holder = new_holder then return claim; end if;

  if claim.claimed_at <= present - idempotency_window() then
    claim.request_hash := new_hash;
    claim.checkout_id := gen_random_uuid();
    claim.attempt := 1;
    claim.opened := false;
    claim.claimed_at := present;
  elsif claim.opened or claim.leased_until > now() then
    return claim;
  end if;
  claim.holder := new_holder;
  claim.leased_until := lease_end;
  update checkout_claims k
  set (request_hash, checkout_id, attempt, opened, claimed_at, holder, leased_until) = (
    claim.request_hash, claim.checkout_id, claim.attempt, claim.opened, claim.claimed_at, claim.holder, claim.leased_until)
  where (k.paywall_id, k.caller, k.idempotency_key) = (claim.paywall_id, claim.caller, claim.idempotency_key);
  return claim;
end $$;

-- The reply of the call that opened the key's checkout.
create function replay_json(claim checkout_claims) returns jsonb language plpgsql stable as $$
begin
  return (
    select verdict('replay') || jsonb_build_object('reply',
      jsonb_build_object('checkoutUrl', c.url, 'userId', c.user_id, 'acquiring', c.acquiring))
      || logged(c.user_id, checkout_id => c.id, price_id => c.price_id)
    from checkouts c where c.id = claim.checkout_id);
end $$;
