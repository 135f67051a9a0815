-- Debits one balance of a member, for the legacy endpoint (contract section 4.8). Locks the Idempotency-Key, if there is one, and then the
-- member.
create function withdraw_tokens(
  key_hash text, paywall_id text, host text, type text, tokens bigint, user_id text default null,
  external_id text default null, idempotency_key uuid default null, request_hash text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  earlier jsonb;
  member record;
  types text[];
  change record;
  reply jsonb;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  if idempotency_key is not null then
    earlier := find_reply(paywall_id, idempotency_key, request_hash);
    if earlier is not null then return earlier; end if;
  end if;

  member := lock_member(paywall_id, null, null, user_id, external_id);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;

  types := member_token_types(paywall_id, member.id, gate.settings);
  if types = '{}' then return verdict('no_balance') || logged(member.id); end if;
  if type <> all (types) then return verdict('unknown_type') || logged(member.id); end if;

  change := add_tokens(gate.owner_id, paywall_id, member.id, gate.settings, type, -tokens);
  if change.refusal is not null then
    return verdict(change.refusal) || jsonb_build_object('available', change.count) || logged(member.id);
  end if;

  reply := jsonb_build_object('success', true, 'remaining', change.count);
  perform keep_reply(paywall_id, idempotency_key, request_hash, reply);
  return verdict('changed') || jsonb_build_object('reply', reply, 'queued', change.queued) || logged(member.id);
end $$;

-- A member's token types: those with a daily limit, and those of which it has a balance.
create function member_token_types(paywall_id text, user_id uuid, settings jsonb) returns text[] language plpgsql stable as $$
begin
  return array(
    select t.type from token_types(settings) t
    where t.daily_limit is not null or exists (
      select from balances b
      where (b.paywall_id, b.user_id, b.type) = (member_token_types.paywall_id, member_token_types.user_id, t.type)));
end $$;
