-- Ends a purchase for an owner, by our id of it (lib/purchases/end-purchase.sql). `ended` has the purchase as `user` shows it, and `stop`:
-- the order to end it at its processor, null if there is nothing to end there. Locks the member and then the purchase.
create function request_purchase_end(key_hash text, paywall_id text, host text, purchase_id text, reason text default null) returns jsonb
language plpgsql security definer as $$
declare
  gate record;
  named purchases;
  ending record;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal = 'unknown_key' then gate := open_team_gate(key_hash, paywall_id, host, 'end_purchase'); end if;
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  select * into named from purchases p
  where p.paywall_id = request_purchase_end.paywall_id and p.id = as_uuid(purchase_id);
  if not found then return verdict('unknown_purchase'); end if;

  ending := end_purchase(named.id, reason);
  if not ending.is_new then
    return verdict('already_ended') || jsonb_build_object('status', (ending.after).status) || logged(named.user_id, named.id);
  end if;
  perform record_team_act(key_hash, 'end_purchase', gate.is_test, named.id::text, named.user_id, reason);
  return verdict('ended') || logged(named.user_id, named.id) || jsonb_build_object(
    'purchase', purchase_json(ending.after) || jsonb_build_object('last_payment', last_payment_json(named.id)),
    'queued', ending.queued,
    'stop', case when (ending.after).stop_requested_at is not null and (ending.after).stopped_at is null
      then stop_order_json(ending.after) end);
end $$;
