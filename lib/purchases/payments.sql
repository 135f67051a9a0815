-- Payments, refunds and disputes, and the tokens that are taken back with the money.

-- Stores the facts that a processor reports of payments, once per fact and kind. A payment keeps the price that the purchase has when its
-- first fact is stored: a refund that follows a change of plan is one of the earlier price. The receipt of an erased buyer is not stored: it
-- shows the buyer's name. Adds them to the owner's figures. Returns the new rows. The member's row must be locked.
create function record_payments(purchase purchases, facts jsonb) returns payments[] language plpgsql as $$
declare
  fact jsonb;
  about text;
  earlier payments;
  payment payments;
  noted payments[] := '{}';
begin
  for fact in select f from jsonb_array_elements(facts) f order by f ->> 'occurred_at' loop
    about := coalesce(fact ->> 'payment_id', fact ->> 'id');
    earlier := find_payment(purchase, about);
    insert into payments as p (
      payment_id, purchase_id, paywall_id, acquiring, processor_payment, price_id, fact_id, kind, amount, currency, tax,
      discount, receipt_url, occurred_at
    ) values (
      coalesce(earlier.payment_id, gen_random_uuid()), purchase.id, purchase.paywall_id, purchase.acquiring, about,
      case when earlier.id is not null then earlier.price_id when purchase.unmatched_from is null then purchase.price_id end,
      fact ->> 'id', fact ->> 'kind', (fact ->> 'amount')::bigint, fact ->> 'currency', (fact ->> 'tax')::bigint,
      (fact ->> 'discount')::bigint,
      case when not is_buyer_erased(purchase) then fact ->> 'receipt_url' end, (fact ->> 'occurred_at')::timestamptz)
    on conflict do nothing returning p.* into payment;
    if found and is_reported(payment) then
      noted := noted || payment;
      perform add_payment_figures(purchase, payment);
    end if;
  end loop;
  return noted;
end $$;

-- Whether the purchase's user was erased, or the person whose address an anonymous buyer gave.
create function is_buyer_erased(purchase purchases) returns boolean language plpgsql stable as $$
begin
  return purchase.buyer_erased_at is not null
    or exists (select from users u where u.id = purchase.user_id and u.erased_at is not null);
end $$;

-- Whether the payment's event is emitted. A refund that fails before it has succeeded has moved no money, whichever of the two is reported
-- first.
create function is_reported(payment payments) returns boolean language plpgsql stable as $$
begin
  if payment.kind not in ('refunded', 'refund_failed') then return true; end if;
  return (payment.kind = 'refund_failed') = exists (
    select from payments other
    where (other.paywall_id, other.acquiring, other.fact_id) = (payment.paywall_id, payment.acquiring, payment.fact_id)
      and other.kind in ('refunded', 'refund_failed') and other.kind <> payment.kind);
end $$;

-- A fact of a payment, by the processor's id of the payment; all null if none is stored.
create function find_payment(purchase purchases, processor_payment text) returns payments language plpgsql stable as $$
begin
  return (
    select p from payments p
    where (p.paywall_id, p.acquiring, p.processor_payment) = (purchase.paywall_id, purchase.acquiring, find_payment.processor_payment)
    limit 1);
end $$;

-- The amount that was paid, and the amount that was finally returned: refunds that did not fail later, and lost disputes that were not won
-- in the end. `amount` is null until the payment itself is reported. A payment may be made in parts, and again after its money was
-- returned.
create function payment_totals(payment payments, out amount bigint, out refunded bigint) language plpgsql stable as $$
begin
  select sum(p.amount) filter (where p.kind = 'succeeded'),
    coalesce(sum(p.amount) filter (where p.kind in ('refunded', 'dispute_lost') and not exists (
      select from payments undone
      where (undone.paywall_id, undone.acquiring, undone.fact_id) = (p.paywall_id, p.acquiring, p.fact_id)
        and undone.kind = case p.kind when 'refunded' then 'refund_failed' else 'dispute_won' end)), 0)
  into amount, refunded
  from payments p
  where (p.paywall_id, p.acquiring, p.processor_payment) = (payment.paywall_id, payment.acquiring, payment.processor_payment);
end $$;

-- A payment as its event shows it.
create function payment_json(payment payments, purchase purchases) returns jsonb language plpgsql stable as $$
declare
  totals constant record := payment_totals(payment);
begin
  return jsonb_build_object(
    'id', payment.payment_id, 'processor_id', payment.processor_payment, 'purchase_id', payment.purchase_id,
    'purchase_status', purchase.status,
    'price_slug', (select sold.slug from prices sold where sold.id = payment.price_id),
    'amount', payment.amount, 'tax', payment.tax, 'discount', payment.discount, 'currency', payment.currency,
    'receipt_url', payment.receipt_url,
    'refunded_amount', totals.refunded, 'refunded', coalesce(totals.refunded >= totals.amount, false),
    'occurred_at', iso(payment.occurred_at));
end $$;

-- The latest payment of a purchase that succeeded, as the API shows it; null if there was none. Uses the index payments_of_purchase.
create function last_payment_json(purchase_id uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'amount', p.amount, 'tax', p.tax, 'discount', p.discount, 'currency', p.currency, 'paid_at', iso(p.occurred_at),
      'receipt_url', p.receipt_url)
    from payments p
    where p.purchase_id = last_payment_json.purchase_id and p.kind = 'succeeded'
    order by p.occurred_at desc limit 1);
end $$;

-- Whether a payment went through although its subscription should no longer be charged: it was in progress by then, or its processor could
-- not be called in time.
create function is_unexpected(payment payments, purchase purchases) returns boolean language plpgsql stable as $$
begin
  return payment.kind = 'succeeded' and coalesce(payment.occurred_at > least(replaced_at(purchase), purchase.ended_by_owner_at), false);
end $$;

-- Takes back the tokens of a payment's period once the payment has been returned entirely, never more than the balance; and credits exactly
-- those again if the refund fails later, or the dispute is won in the end, whatever the owner's setting by then. The `facts` show which
-- payments have brought nothing. Returns the ledger rows. The member's row must be locked.
create function balance_refunds(purchase purchases, noted payments[], facts jsonb, settings jsonb) returns ledger[] language plpgsql as $$
declare
  keeps_tokens constant boolean := coalesce(settings -> 'keep_tokens_on_refund' = 'true', false);
  payment payments;
  totals record;
  period credited_periods;
  rows ledger[] := '{}';
begin
  foreach payment in array noted loop
    totals := payment_totals(payment);
    continue when totals.amount is null or totals.amount = 0
      or facts @> jsonb_build_array(jsonb_build_object('id', payment.fact_id, 'brought_nothing', true));
    period := paid_period(payment);
    if not keeps_tokens and period.given_back is null and totals.refunded >= totals.amount then
      rows := rows || revoke_tokens(purchase, period, payment);
    elsif period.refunded = payment.payment_id and totals.refunded < totals.amount then
      rows := rows || recredit_tokens(purchase, period);
    end if;
  end loop;
  return rows;
end $$;

-- The period that a payment has paid for: the one that was credited for it, else the last one that had begun by then. A charge may be made
-- a little before its period. If that period was over, the payment has brought no tokens. A repeated payment after a refund pays for the
-- same period.
create function paid_period(payment payments) returns credited_periods language plpgsql stable as $$
declare
  paid_at constant timestamptz := (
    select min(p.occurred_at) from payments p
    where (p.paywall_id, p.acquiring, p.processor_payment) = (payment.paywall_id, payment.acquiring, payment.processor_payment)
      and p.kind = 'succeeded');
begin
  return (
    select c from credited_periods c
    where c.owner_id = (select p.owner_id from paywalls p where p.id = payment.paywall_id) and c.purchase_id = payment.purchase_id
      and (c.paid_by is not distinct from payment.payment_id or coalesce(c.ends_at > paid_at, true))
    order by c.paid_by is not distinct from payment.payment_id desc,
      c.starts_at > paid_at + longest_early_charge(c.starts_at, c.ends_at), c.starts_at desc limit 1);
end $$;

create function revoke_tokens(purchase purchases, period credited_periods, payment payments) returns ledger[] language plpgsql as $$
declare
  rows ledger[] := '{}';
  taken jsonb := '{}';
  tokens record;
begin
  if period.starts_at is null then return rows; end if;
  for tokens in
    select t.key as type, least(b.count, t.value::bigint) as count
    from jsonb_each_text(period.credited) t
      join balances b on (b.paywall_id, b.user_id, b.type) = (purchase.paywall_id, purchase.user_id, t.key)
    where b.count > 0 order by t.key
  loop
    taken := taken || jsonb_build_object(tokens.type, tokens.count);
    rows := rows || move_tokens(purchase.paywall_id, purchase.user_id, tokens.type, -tokens.count, 'refund', payment.payment_id::text);
  end loop;
  update credited_periods c set given_back = taken, refunded = payment.payment_id
  where (c.owner_id, c.purchase_id, c.starts_at) = (period.owner_id, period.purchase_id, period.starts_at);
  return rows;
end $$;

create function recredit_tokens(purchase purchases, period credited_periods) returns ledger[] language plpgsql as $$
declare
  rows ledger[] := '{}';
  tokens record;
begin
  for tokens in select t.key as type, t.value::bigint as count from jsonb_each_text(period.given_back) t order by t.key loop
    rows := rows || move_tokens(purchase.paywall_id, purchase.user_id, tokens.type, tokens.count, 'refund', period.refunded::text);
  end loop;
  update credited_periods c set given_back = null, refunded = null
  where (c.owner_id, c.purchase_id, c.starts_at) = (period.owner_id, period.purchase_id, period.starts_at);
  return rows;
end $$;
