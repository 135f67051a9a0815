-- Credits or debits one balance of a member. Concurrent calls are serialised, so each counts exactly once (contract section 4.7). Locks the
-- Idempotency-Key, if there is one, and then the member.
create function change_balance(
  key_hash text, paywall_id text, host text, type text, delta bigint,
  email text default null, user_id text default null, external_id text default null,
  idempotency_key uuid default null, request_hash text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  earlier jsonb;
  member record;
  change record;
  reply jsonb;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  if idempotency_key is not null then
    earlier := find_reply(paywall_id, idempotency_key, request_hash);
    if earlier is not null then return earlier; end if;
  end if;

  member := lock_member(paywall_id, null, email, user_id, external_id);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;
  if not exists (select from token_types(gate.settings) t where t.type = change_balance.type) then
    return verdict('unknown_type') || logged(member.id);
  end if;

  change := add_tokens(gate.owner_id, paywall_id, member.id, gate.settings, type, delta);
  if change.refusal is not null then
    return verdict(change.refusal) || jsonb_build_object('available', change.count) || logged(member.id);
  end if;

  reply := jsonb_build_object('success', true, 'user_id', member.id, 'type', type, 'count', change.count,
    'balances', balances_json(paywall_id, member.id, gate.settings));
  perform keep_reply(paywall_id, idempotency_key, request_hash, reply);
  return verdict('changed') || jsonb_build_object('reply', reply, 'queued', change.queued) || logged(member.id);
end $$;
