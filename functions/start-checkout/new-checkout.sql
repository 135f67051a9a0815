-- A checkout that is not stored yet: what is sold, through which processor, and with how long a trial. A user gets one trial
-- on a paywall, since somebody could cancel and begin again for ever. An owner that asks for a trial by its own key may
-- give another. The member's row must be locked.
create function new_checkout(checkout_id uuid, user_id uuid, price prices, request jsonb, by_owner boolean) returns checkouts
language plpgsql as $$
declare
  checkout checkouts;
  requested_trial_days constant integer := request ->> 'trial_days';
  had_trial constant boolean := exists (
    select from purchases p
    where p.paywall_id = price.paywall_id and p.user_id = new_checkout.user_id and p.trial_start is not null);
begin
  checkout.id := checkout_id;
  checkout.paywall_id := price.paywall_id;
  checkout.user_id := user_id;
  checkout.price_id := price.id;
  checkout.acquiring := (select p.acquiring from paywalls p where p.id = price.paywall_id);
  checkout.trial_days := case
    when price.interval is null then 0
    when had_trial and not (by_owner and requested_trial_days is not null) then 0
    else coalesce(requested_trial_days, price.trial_days) end;
  checkout.country := request ->> 'country';
  checkout.local_currency := request ->> 'local_currency';
  checkout.customer := (
    select p.processor_customer from purchases p
    where p.paywall_id = price.paywall_id and p.user_id = new_checkout.user_id and p.acquiring = checkout.acquiring
      and p.processor_customer is not null
    order by p.created_at desc limit 1);
  checkout.shop_url := request ->> 'shop_url';
  checkout.return_origin := request ->> 'return_origin';
  checkout.created_at := now();
  return checkout;
end $$;

-- Stores a new checkout. It names the columns, so that one that a later migration adds gets its default.
create function store_checkout(checkout checkouts) returns void language plpgsql as $$
begin
  insert into checkouts (
    id, paywall_id, user_id, price_id, acquiring, trial_days, country, local_currency, customer, success_url, error_url,
    shop_url, return_origin, created_at
  ) values (
    checkout.id, checkout.paywall_id, checkout.user_id, checkout.price_id, checkout.acquiring, checkout.trial_days,
    checkout.country, checkout.local_currency, checkout.customer, checkout.success_url, checkout.error_url,
    checkout.shop_url, checkout.return_origin, checkout.created_at);
end $$;

-- What the processor must be asked for, and the account to ask: see `ClaimedCheckout` in claimed-checkout.ts.
create function claimed_checkout_json(checkout checkouts, claim checkout_claims) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', checkout.id, 'paywall_id', checkout.paywall_id, 'caller', claim.caller, 'key', claim.idempotency_key,
      'user_id', checkout.user_id, 'email', u.email, 'acquiring', checkout.acquiring, 'customer', checkout.customer,
      'trial_days', checkout.trial_days, 'country', checkout.country, 'local_currency', checkout.local_currency,
      'return_origin', checkout.return_origin, 'attempt', claim.attempt, 'geo', paywall.geo, 'credentials', a.credentials,
      'price', jsonb_build_object(
        'currency', p.currency, 'amount', p.amount, 'processor_price', p.processor_price, 'locals', p.locals,
        'recurring', case when p.interval is not null
          then jsonb_build_object('interval', p.interval, 'intervalCount', p.interval_count) end))
    from prices p
      join paywalls paywall on paywall.id = p.paywall_id
      join processor_accounts a on a.paywall_id = p.paywall_id and a.acquiring = checkout.acquiring
      join users u on u.id = checkout.user_id
    where p.id = checkout.price_id);
end $$;
