-- The facts that the owner's figures count (docs/figures.md). Each is a row of `pending_figures`, added with the fact itself.

-- Adds values, by the names of figures, on the UTC day of `at`.
create function add_figures(purchase purchases, at timestamptz, currency text, price_slug text, added jsonb) returns void
language plpgsql as $$
begin
  insert into pending_figures (owner_id, is_test, day, currency, price, country, acquiring, added)
  select p.owner_id, p.is_test, (at at time zone 'utc')::date, add_figures.currency, p.id || '/' || coalesce(price_slug, ''),
    coalesce(nullif(c.country, 'XX'), ''), purchase.acquiring, add_figures.added
  from paywalls p join checkouts c on c.id = purchase.checkout_id where p.id = purchase.paywall_id;
end $$;

-- Adds a payment's fact that was stored now. What was returned and came back is subtracted on the day when it came back: a refund that has
-- failed, or a lost dispute that was won in the end.
create function add_payment_figures(purchase purchases, payment payments) returns void language plpgsql as $$
declare
  added constant jsonb := payment_figures(payment);
begin
  if added is not null then
    perform add_figures(purchase, payment.occurred_at, payment.currency, paid_slug(payment), added);
  end if;
  if payment.kind in ('succeeded', 'failed') then perform add_failure_figures(purchase, payment); end if;
end $$;

create function payment_figures(payment payments) returns jsonb language plpgsql stable as $$
begin
  return case payment.kind
    when 'succeeded' then jsonb_build_object('revenue', payment.amount, 'payments', 1, 'tax', coalesce(payment.tax, 0))
    when 'refunded' then jsonb_build_object('refunds', payment.amount, 'refund_count', 1)
    when 'refund_failed' then jsonb_build_object('refunds', -payment.amount, 'refund_count', -1)
    when 'disputed' then jsonb_build_object('disputes', 1)
    when 'dispute_lost' then case when (other_fact(payment, 'dispute_won')).id is null
      then jsonb_build_object('lost_disputes', payment.amount) end
    when 'dispute_won' then jsonb_build_object('lost_disputes', -(other_fact(payment, 'dispute_lost')).amount) end;
end $$;

-- The name of the price of a payment; null if no price of the paywall matched.
create function paid_slug(payment payments) returns text language plpgsql stable as $$
begin
  return (select price.slug from prices price where price.id = payment.price_id);
end $$;

-- The fact of another kind with the same id at the processor; all null if there is none.
create function other_fact(payment payments, kind text) returns payments language plpgsql stable as $$
begin
  return (
    select other from payments other
    where (other.paywall_id, other.acquiring, other.kind, other.fact_id)
      = (payment.paywall_id, payment.acquiring, other_fact.kind, payment.fact_id));
end $$;

-- Adds what a payment that has succeeded or failed changes of a purchase's failures: the first failure after a success counts as
-- failed, and the first success after a failure as recovered. Retries are not counted, and a processor may give each of
-- them its own payment. A fact may be reported after later ones: then the next fact follows another one than before.
create function add_failure_figures(purchase purchases, payment payments) returns void language plpgsql as $$
declare
  earlier constant payments := neighbouring_charge(payment, false);
  later constant payments := neighbouring_charge(payment, true);
begin
  perform add_failure_figure(purchase, payment, earlier.kind, 1);
  if later.id is not null then
    perform add_failure_figure(purchase, later, earlier.kind, -1);
    perform add_failure_figure(purchase, later, payment.kind, 1);
  end if;
end $$;

-- Adds (1) or subtracts (-1) what a payment counts as if it follows a payment of the kind `earlier`; null: it is the first.
create function add_failure_figure(purchase purchases, payment payments, earlier text, times integer) returns void language plpgsql as $$
declare
  has_failed_before constant boolean := coalesce(earlier = 'failed', false);
  amount constant bigint := times * payment.amount;
begin
  if has_failed_before = (payment.kind = 'failed') then return; end if;
  perform add_figures(
    purchase, payment.occurred_at, payment.currency, paid_slug(payment), case when has_failed_before
      then jsonb_build_object('recovered_payments', times, 'recovered_amount', amount)
      else jsonb_build_object('failed_payments', times, 'failed_amount', amount) end);
end $$;

-- The purchase's payment that has succeeded or failed next before another one, or after it; all null if there is none.
create function neighbouring_charge(payment payments, is_later boolean) returns payments language plpgsql stable as $$
begin
  if is_later then
    return (
      select p from payments p
      where p.purchase_id = payment.purchase_id and p.kind in ('succeeded', 'failed')
        and (p.occurred_at, p.id) > (payment.occurred_at, payment.id)
      order by p.occurred_at, p.id limit 1);
  end if;
  return (
    select p from payments p
    where p.purchase_id = payment.purchase_id and p.kind in ('succeeded', 'failed')
      and (p.occurred_at, p.id) < (payment.occurred_at, payment.id)
    order by p.occurred_at desc, p.id desc limit 1);
end $$;
