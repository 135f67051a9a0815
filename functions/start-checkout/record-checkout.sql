-- Records the hosted page that the processor opened; from now on the key is answered by replay. Locks the member first: its
-- row says which page was open before, whoever else is at it. `recorded` is false if another try has taken the claim over
-- meanwhile: what that one opens counts. `superseded` is the page before this one, which nobody should pay any more.
create function record_checkout(
  paywall_id text, user_id uuid, caller text, key uuid, holder uuid, session_id text, url text, currency text, amount bigint
) returns jsonb language plpgsql security definer as $$
declare
  page_before text;
  claimed_id uuid;
  page text;
begin
  select m.open_session into page_before from members m
  where m.paywall_id = record_checkout.paywall_id and m.user_id = record_checkout.user_id for no key update;

  update checkout_claims k set opened = true
  where k.paywall_id = record_checkout.paywall_id and k.caller = record_checkout.caller and k.idempotency_key = key
    and k.holder = record_checkout.holder
  returning k.checkout_id into claimed_id;
  if not found then return jsonb_build_object('recorded', false, 'superseded', null); end if;

  update checkouts c
  set session_id = record_checkout.session_id, url = record_checkout.url, currency = record_checkout.currency,
    amount = record_checkout.amount, reconcile_at = checkout_due(c.created_at, null)
  where c.id = claimed_id returning c.acquiring || ':' || c.session_id into page;
  update members m set open_session = page
  where m.paywall_id = record_checkout.paywall_id and m.user_id = record_checkout.user_id;
  return jsonb_build_object('recorded', true, 'superseded', case when page_before <> page then page_before end);
end $$;
