-- Adds `delta` tokens to a balance of a user; a negative `delta` debits. `key` makes a form that is sent twice count once. Locks the key, and
-- then the member. Verdicts: `changed`; `replayed`; `unknown_user_id`; `unknown_type`; `key_reused`; `insufficient` and `too_much`, as
-- add_tokens has them.
create function change_tokens(
  session_hash text, is_test boolean, user_id text, paywall_id text, type text, delta bigint, key uuid, request_hash text,
  reason text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'change_tokens');
  paywall paywalls;
  earlier jsonb;
  member record;
  change record;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  select * into paywall from paywalls p
  where p.owner_id = gate.owner_id and p.is_test = change_tokens.is_test and p.id = change_tokens.paywall_id;
  if not found then return verdict('unknown_user_id'); end if;
  earlier := find_reply(paywall.id, key, request_hash);
  if earlier is not null then return earlier; end if;
  member := lock_member(paywall.id, null, null, user_id, null);
  if member.refusal is not null then return verdict('unknown_user_id'); end if;
  if not exists (select from token_types(paywall.settings) t where t.type = change_tokens.type) then return verdict('unknown_type'); end if;

  change := add_tokens(paywall.owner_id, paywall.id, member.id, paywall.settings, type, delta);
  if change.refusal is not null then return verdict(change.refusal) || jsonb_build_object('available', change.count); end if;
  perform keep_reply(paywall.id, key, request_hash, '{}');
  perform record_act(gate.owner_id, gate.email, gate.role, 'change_tokens', is_test,
    concat(case when delta > 0 then '+' end, delta, ' ', type), member.id, reason);
  return verdict('changed') || jsonb_build_object('queued', change.queued);
end $$;
