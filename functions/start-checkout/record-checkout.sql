-- Records the hosted page that the processor opened; from now on the key is answered by replay. Locks the member first,
-- whose row says which page was open before, and then the claim.
--
-- `recorded` is false if another attempt has taken the claim over meanwhile: what that one opens counts. `superseded` is
-- the page before this one, '<acquiring>:<id>', which nobody should pay any more.
create function record_checkout(
  paywall_id text, checkout_id uuid, caller text, key uuid, holder uuid, page_id text, url text, currency text,
  amount bigint, processor_price text
) returns jsonb language plpgsql security definer as $$
declare
  checkout checkouts;
  page text;
  page_before text;
begin
  checkout := lock_checkout_member(paywall_id, checkout_id);
  update checkout_claims k set opened = true
  where k.paywall_id = record_checkout.paywall_id and k.caller = record_checkout.caller and k.idempotency_key = key
    and k.holder = record_checkout.holder;
  if not found then return jsonb_build_object('recorded', false, 'superseded', null); end if;

  update checkouts c
  set session_id = page_id, url = record_checkout.url, currency = record_checkout.currency,
    amount = record_checkout.amount, processor_price = record_checkout.processor_price,
    reconcile_at = checkout_due(c.created_at, null)
  where c.id = checkout.id;

  page := checkout.acquiring || ':' || page_id;
  page_before := (
    select m.open_session from members m where m.paywall_id = checkout.paywall_id and m.user_id = checkout.user_id);
  update members m set open_session = page
  where m.paywall_id = checkout.paywall_id and m.user_id = checkout.user_id;
  return jsonb_build_object('recorded', true, 'superseded', case when page_before <> page then page_before end);
end $$;
