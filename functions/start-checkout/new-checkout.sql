-- Stores a new checkout: what is sold, through which processor, and with how long a trial. Gives its row. The columns are
-- named, so that one that a later migration adds gets its default. The member's row must be locked.
create function new_checkout(
  checkout_id uuid, user_id uuid, price prices, success_url text, error_url text, return_origin text,
  shop_url text, country text, local_currency text, trial_days integer
) returns checkouts language plpgsql as $$
declare
  checkout checkouts;
  processor constant text := (select p.acquiring from paywalls p where p.id = price.paywall_id);
  customer text;
  customers jsonb;
begin
  select (array_agg(p.processor_customer order by p.created_at desc))[1],
    coalesce(jsonb_object_agg(p.currency, p.processor_customer order by p.created_at), '{}') into customer, customers
  from purchases p
  where p.paywall_id = price.paywall_id and p.user_id = new_checkout.user_id and p.acquiring = processor
    and p.processor_customer is not null;
  insert into checkouts as c (
    id, paywall_id, user_id, price_id, acquiring, customer, customers,
    success_url, error_url, return_origin, shop_url, country, local_currency, trial_days
  ) values (
    checkout_id, price.paywall_id, user_id, price.id, processor, customer, customers,
    success_url, error_url, return_origin, shop_url, country, local_currency, trial_days
  ) returning c.* into checkout;
  return checkout;
end $$;

-- How many days of trial a buyer gets. A user gets one trial on a paywall, since somebody could cancel and begin again for
-- ever. An owner that asks for a trial by its own key may give another. The member's row must be locked.
create function trial_days_for(user_id uuid, price prices, requested integer, by_owner boolean) returns integer
language plpgsql as $$
begin
  if price.interval is null then return 0; end if;
  if by_owner and requested is not null then return requested; end if;
  if exists (
    select from purchases p
    where p.paywall_id = price.paywall_id and p.user_id = trial_days_for.user_id and p.trial_start is not null
  ) then return 0; end if;
  return coalesce(requested, price.trial_days);
end $$;

-- What the processor must be asked for, and the account to ask: see `ClaimedCheckout` in claimed-checkout.ts. The checkout
-- and its price do not change. The user's address, the paywall's tiers and the credentials are given as they are now.
create function claimed_checkout_json(checkout checkouts, claim checkout_claims) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', checkout.id, 'paywall_id', checkout.paywall_id, 'caller', claim.caller, 'key', claim.idempotency_key,
      'user_id', checkout.user_id, 'email', u.email, 'acquiring', checkout.acquiring,
      'customer', checkout.customer, 'customers', checkout.customers,
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
