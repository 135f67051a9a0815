-- Records the hosted page that the processor opened; from now on calls with the key get a replay. Locks the member and then the claim.
--
-- `recorded` is false if another attempt has taken the claim over meanwhile: the page of that one counts. `superseded` are the member's
-- pages that are still open, which should no longer be paid: `{account, page_id}`.
--
--   expires_at  when the page can no longer be paid; null if that is not known
create function record_checkout(
  paywall_id text, checkout_id uuid, caller text, key uuid, holder uuid, page_id text, url text, currency text,
  amount bigint, processor_price text, expires_at timestamptz default null
) returns jsonb language plpgsql security definer as $$
declare
  checkout checkouts;
begin
  checkout := lock_checkout_member(paywall_id, checkout_id);
  update checkout_claims k set opened = true
  where k.paywall_id = record_checkout.paywall_id and k.caller = record_checkout.caller and k.idempotency_key = key
    and k.holder = record_checkout.holder;
  if not found then return jsonb_build_object('recorded', false, 'superseded', '[]'::jsonb); end if;

  update checkouts c
  set hosted_page_id = page_id, url = record_checkout.url, currency = record_checkout.currency,
    amount = record_checkout.amount, processor_price = record_checkout.processor_price,
    reconcile_at = checkout_due(c.created_at, null)
  where c.id = checkout.id;
  perform extend_offer_hold(checkout, expires_at);

  return jsonb_build_object('recorded', true, 'superseded', other_open_pages(checkout));
end $$;

-- The member's other pages that may still be paid, the latest of them, at the processor by which each was opened. A page that was closed,
-- or that the reconcile cron has given up, has no due time.
create function other_open_pages(checkout checkouts) returns jsonb language plpgsql stable as $$
declare
  max_count constant integer := 5;
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'account', account_json(page.paywall_id, page.acquiring), 'page_id', page.hosted_page_id)), '[]')
    from (
      select c.paywall_id, c.acquiring, c.hosted_page_id from checkouts c
      where c.paywall_id = checkout.paywall_id and c.user_id = checkout.user_id and c.id <> checkout.id
        and c.hosted_page_id is not null and c.completed_at is null and c.reconcile_at is not null
      order by c.created_at desc limit max_count
    ) page);
end $$;
