-- Claims a refund for an owner: see begin-refund.sql. A live paywall requires an Idempotency-Key; a call without one
-- (`has_key`) passes a random key.
create function claim_refund(
  key_hash text, paywall_id text, host text, key uuid, has_key boolean, hash text, holder uuid, purchase_id text, capabilities jsonb,
  payment text default null, amount bigint default null, reason text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  claimed jsonb;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal = 'unknown_key' then gate := open_team_gate(key_hash, paywall_id, host, 'refund'); end if;
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  if not gate.is_test and not has_key then return verdict('key_required'); end if;
  claimed := begin_refund(
    gate.owner_id, paywall_id, key, hash, holder, purchase_id, payment, amount, reason, capabilities);
  if claimed ->> 'verdict' = 'claimed' then
    perform record_team_act(
      key_hash, 'refund', gate.is_test, claimed #>> '{logged,purchase_id}', (claimed #>> '{logged,user_id}')::uuid, reason);
  end if;
  return claimed;
end $$;
