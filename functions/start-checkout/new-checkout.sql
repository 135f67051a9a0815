-- Stores a new checkout: what is sold and how much of it, through which processor, with which options, how long a trial and which offer
-- (all null: none); `requested_days` is what the call requested, `page_locales` the language that it asked for, by processor: one in
-- `settings` precedes it. Returns its row. The columns are listed, so that a column of a later
-- migration gets its default. The member's row must be locked.
create function new_checkout(
  checkout_id uuid, user_id uuid, price prices, success_url text, error_url text, return_origin text,
  success_is_foreign boolean, error_is_foreign boolean, shop_url text, country text, local_currency text,
  requested_days integer, by_owner boolean, replaces boolean, settings jsonb, page_locales jsonb, offer offers, quantity integer
) returns checkouts language plpgsql as $$
declare
  checkout checkouts;
  processor constant text := (select p.acquiring from paywalls p where p.id = price.paywall_id);
  customer text;
  customers jsonb;
  trial record;
begin
  select (array_agg(p.processor_customer order by p.created_at desc))[1],
    coalesce(jsonb_object_agg(p.currency, p.processor_customer order by p.created_at), '{}') into customer, customers
  from purchases p
  where p.paywall_id = price.paywall_id and p.user_id = new_checkout.user_id and p.acquiring = processor
    and p.processor_customer is not null;
  trial := trial_for(user_id, price, requested_days, by_owner, (settings ->> 'max_trial_days')::integer);
  insert into checkouts as c (
    id, paywall_id, user_id, price_id, acquiring, customer, customers,
    success_url, error_url, return_origin, success_is_foreign, error_is_foreign, shop_url, country, local_currency,
    trial_days, further_trial, quantity, options, offer, replaces, created_at
  ) values (
    checkout_id, price.paywall_id, user_id, price.id, processor, customer, customers,
    success_url, error_url, return_origin, success_is_foreign, error_is_foreign, shop_url, country, local_currency,
    trial.days, trial.is_further, quantity,
    jsonb_strip_nulls(jsonb_build_object('locale', page_locales -> processor)) || coalesce(settings -> 'checkout', '{}'),
    case when offer.id is not null then jsonb_build_object(
      'id', offer.id, 'discount', offer.discount, 'processor_discount', offer.processor_discount) end,
    replaces, paywall_now(price.paywall_id)
  ) returning c.* into checkout;
  return checkout;
end $$;

-- The trial days that a page offers. A user gets one trial per paywall, since otherwise somebody could cancel and start again for ever. An
-- owner that requests a trial with its own key may give a further one: `is_further`. A user's own request is limited to the price's trial,
-- or to `most_days` if the paywall allows more. The member's row must be locked. Whether the page's trial counts is decided when it is
-- stored (is_second_trial), because another page may have led to a trial by then.
create function trial_for(
  user_id uuid, price prices, requested integer, by_owner boolean, most_days integer, out days integer, out is_further boolean
) language plpgsql as $$
declare
  has_had_one constant boolean := has_other_trial(price.paywall_id, user_id, null);
begin
  is_further := has_had_one and by_owner and coalesce(requested, 0) > 0;
  days := case
    when price.interval is null then 0
    when has_had_one and not is_further then 0
    when requested is null then price.trial_days
    when by_owner then requested
    else least(requested, greatest(price.trial_days, most_days)) end;
end $$;

-- Everything that the processor call needs, and the account: see `ClaimedCheckout` in claimed-checkout.ts. The checkout and its price are
-- stored. The user's address, the paywall's tiers and the credentials are read anew.
create function claimed_checkout_json(checkout checkouts, claim checkout_claims) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', checkout.id, 'paywall_id', checkout.paywall_id, 'caller', claim.caller, 'key', claim.idempotency_key,
      'user_id', checkout.user_id, 'email', u.email,
      'customer', checkout.customer, 'customers', checkout.customers,
      'trial_days', checkout.trial_days, 'quantity', checkout.quantity, 'options', checkout.options, 'offer', checkout.offer, 'country', checkout.country,
      'local_currency', checkout.local_currency,
      'return_origin', checkout.return_origin, 'attempt', claim.attempt, 'geo', paywall.geo,
      'account', account_json(p.paywall_id, checkout.acquiring),
      'price', jsonb_build_object(
        'currency', p.currency, 'amount', p.amount, 'processor_price', p.processor_price, 'locals', p.locals,
        'recurring', case when p.interval is not null
          then jsonb_build_object('interval', p.interval, 'intervalCount', p.interval_count) end))
    from prices p
      join paywalls paywall on paywall.id = p.paywall_id
      join users u on u.id = checkout.user_id
    where p.id = checkout.price_id);
end $$;
