-- Gives a user access without a payment, for an owner. Locks the Idempotency-Key, if there is one, and then the member.
create function create_grant(
  key_hash text, paywall_id text, host text, reason text,
  email text default null, user_id text default null, external_id text default null,
  price text default null, days integer default null, ends_at timestamptz default null,
  idempotency_key uuid default null, request_hash text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  earlier jsonb;
  granted jsonb;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal = 'unknown_key' then gate := open_team_gate(key_hash, paywall_id, host, 'give_access'); end if;
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  if idempotency_key is not null then
    earlier := find_reply(paywall_id, idempotency_key, request_hash);
    if earlier is not null then return earlier; end if;
  end if;

  granted := grant_access(
    paywall_id, email, user_id, external_id, price, days, ends_at, reason, granted_by => key_reference(key_hash));
  if granted ? 'reply' then
    perform record_team_act(
      key_hash, 'give_access', gate.is_test, granted #>> '{reply,grant,id}', (granted #>> '{reply,user_id}')::uuid, reason);
    perform keep_reply(paywall_id, idempotency_key, request_hash, granted -> 'reply');
  end if;
  return granted;
end $$;
