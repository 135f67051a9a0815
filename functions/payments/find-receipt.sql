-- Finds a payment of a token's user, and the processor account that it was made through, even if the paywall has switched processors since.
create function find_receipt(
  token_user_id uuid, token_audience text, token_session_id uuid, paywall_id text, host text, payment text
) returns jsonb language plpgsql stable security definer as $$
declare
  gate record;
  member record;
  paid payments;
begin
  gate := open_user_gate(token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  member := find_member(paywall_id, token_user_id, null, null, null);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;

  paid := find_member_payment(paywall_id, member.id, payment);
  if paid.id is null then return verdict('unknown_payment') || logged(member.id); end if;
  return verdict('found') || logged(member.id, purchase_id => paid.purchase_id) || jsonb_build_object(
    'account', account_json(paid.paywall_id, paid.acquiring),
    'payment', jsonb_build_object(
      'id', paid.processor_payment,
      'customer', (select bought.processor_customer from purchases bought where bought.id = paid.purchase_id)));
end $$;

-- A payment of a member that succeeded, by its id: its first part; all null if the member has none.
create function find_member_payment(paywall_id text, user_id uuid, payment text) returns payments language plpgsql stable as $$
begin
  return (
    select p from purchases bought join payments p on p.purchase_id = bought.id
    where (bought.paywall_id, bought.user_id) = (find_member_payment.paywall_id, find_member_payment.user_id)
      and p.payment_id = as_uuid(payment) and p.kind = 'succeeded'
    order by p.occurred_at, p.id limit 1);
end $$;
