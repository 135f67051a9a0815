-- Claims a refund for an owner: see begin-refund.sql. A live paywall requires an Idempotency-Key; a call without one
-- (`has_key`) passes a random key.
create function claim_refund(
  key_hash text, paywall_id text, host text, key uuid, has_key boolean, hash text, holder uuid, purchase_id text, capabilities jsonb,
  payment text default null, amount bigint default null, reason text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  if not gate.is_test and not has_key then return verdict('key_required'); end if;
  return begin_refund(
    gate.owner_id, paywall_id, key, hash, holder, purchase_id, payment, amount, reason, capabilities);
end $$;
