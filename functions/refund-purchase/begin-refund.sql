-- Refunds that are requested here. Who may request one is decided by the caller's gate.

-- Claims a refund of a payment, at most what is left of that. Of concurrent calls with one key exactly one gets `claimed`, with everything
-- that the processor call needs; the others get `in_progress`, or `replay` once the processor has accepted the refund.
--
--   key           the Idempotency-Key, or a random one; hash: of the request, the same key with another hash is refused
--   holder        a random id of this attempt, which gets the claim until its lease expires
--   payment       the id of a payment; null: the latest one of the purchase that succeeded
--   amount        in minor units; null: all that is left of the payment
--   capabilities  of each processor: `refunds` of its definition
--
-- Locks the Idempotency-Key, the refund that was requested with it, and the purchase: so two refunds of a payment follow each other, and the
-- second one sees what the first has left.
create function begin_refund(
  owner_id uuid, paywall_id text, key uuid, hash text, holder uuid, purchase_id text, payment text, amount bigint, reason text,
  capabilities jsonb
) returns jsonb language plpgsql as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  refund refunds;
  purchase purchases;
  wanted record;
begin
  perform lock_idempotency_key('refund', paywall_id, key);
  refund := find_requested_refund(owner_id, paywall_id, key);
  if refund.request_hash <> hash then return verdict('key_reused') || logged(purchase_id => refund.purchase_id); end if;
  if refund.leased_until > now() then return verdict('in_progress') || logged(purchase_id => refund.purchase_id); end if;
  if refund.processor_refund is not null then
    return verdict('replay') || jsonb_build_object('reply', refund_reply(refund)) || logged(purchase_id => refund.purchase_id);
  end if;

  -- An attempt that crashed or failed is repeated as it was.
  select * into purchase from purchases p
  where p.paywall_id = begin_refund.paywall_id and p.id = coalesce(refund.purchase_id, as_uuid(begin_refund.purchase_id)) for no key update;
  if not found then return verdict('unknown_purchase'); end if;
  if refund.id is null then
    wanted := refundable_payment(purchase, payment, amount, capabilities);
    if wanted.refusal is not null then
      return verdict(wanted.refusal) || jsonb_build_object('acquiring', purchase.acquiring, 'available', wanted.available)
        || logged(purchase.user_id, purchase.id);
    end if;
    insert into refunds as r (owner_id, paywall_id, purchase_id, payment_id, amount, currency, reason, created_at)
    values (
      owner_id, purchase.paywall_id, purchase.id, (wanted.payment).payment_id, coalesce(amount, wanted.available),
      (wanted.payment).currency, reason, present)
    returning r.* into refund;
  end if;
  update refunds r
  set idempotency_key = key, request_hash = hash, holder = begin_refund.holder, leased_until = now() + refund_lease(),
    claims = r.claims + 1
  where (r.owner_id, r.id) = (refund.owner_id, refund.id);
  return verdict('claimed') || jsonb_build_object('refund', refund_json(refund, purchase)) || logged(purchase.user_id, purchase.id);
end $$;

-- The refund that was requested with a key, its row locked; all null if there is none within the lifetime of a key. An older one releases
-- its key. The key must be locked.
create function find_requested_refund(owner_id uuid, paywall_id text, key uuid) returns refunds language plpgsql as $$
declare
  refund refunds;
begin
  select * into refund from refunds r
  where (r.owner_id, r.paywall_id, r.idempotency_key) = (find_requested_refund.owner_id, find_requested_refund.paywall_id, key)
  for no key update;
  if refund.created_at > paywall_now(paywall_id) - idempotency_window() then return refund; end if;
  update refunds r set idempotency_key = null where (r.owner_id, r.id) = (refund.owner_id, refund.id);
  return null;
end $$;

-- The payment of a purchase that a refund would be of, and what is left of it; `refusal` is null if the amount can be refunded. The
-- purchase's row must be locked.
create function refundable_payment(
  purchase purchases, named text, amount bigint, capabilities jsonb, out refusal text, out payment payments, out available bigint
) language plpgsql stable as $$
declare
  totals record;
begin
  select p.* into payment from payments p
  where p.purchase_id = purchase.id and p.kind = 'succeeded' and (named is null or p.payment_id = as_uuid(named))
  order by p.occurred_at desc, p.id desc limit 1;
  totals := payment_totals(payment);
  available := greatest(0, totals.amount - totals.refunded - amount_under_way(payment));
  refusal := case
    when capabilities ->> purchase.acquiring = 'never' then 'unsupported'
    when payment.id is null and purchase.status = 'pending' then 'pending'
    when payment.id is null and named is not null then 'unknown_payment'
    when payment.id is null then 'nothing_paid'
    when is_disputed(payment) then 'disputed'
    when available = 0 then 'refunded'
    when amount > available then 'too_much' end;
end $$;

-- Whether a dispute of a payment is open, or was lost.
create function is_disputed(payment payments) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from payments p
    where (p.paywall_id, p.acquiring, p.processor_payment) = (payment.paywall_id, payment.acquiring, payment.processor_payment)
      and p.kind = 'disputed' and not exists (
        select from payments decided
        where (decided.paywall_id, decided.acquiring, decided.fact_id) = (p.paywall_id, p.acquiring, p.fact_id)
          and decided.kind = 'dispute_won'));
end $$;

-- The amount of a payment's refunds that no fact shows yet: those that the processor has accepted, and those of which it is unknown whether
-- it has. The latter count as long as their key can be repeated: by then a fact shows those that were made.
create function amount_under_way(payment payments) returns bigint language plpgsql stable as $$
begin
  return (
    select coalesce(sum(r.amount), 0) from refunds r
    where r.purchase_id = payment.purchase_id and r.payment_id = payment.payment_id and case
      when r.processor_refund is null then r.created_at > paywall_now(payment.paywall_id) - idempotency_window()
      else refund_fact(r, payment.acquiring) is null end);
end $$;

-- The kind of the fact that shows what became of a refund: `refunded`, or `refund_failed`, perhaps after that; null: none was reported yet.
create function refund_fact(refund refunds, acquiring text) returns text language plpgsql stable as $$
begin
  return (
    select min(p.kind) from payments p
    where (p.paywall_id, p.acquiring, p.fact_id) = (refund.paywall_id, refund_fact.acquiring, refund.processor_refund)
      and p.kind in ('refunded', 'refund_failed'));
end $$;

-- What the processor call needs: `ClaimedRefund` in refund-order.ts.
create function refund_json(refund refunds, purchase purchases) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'owner_id', refund.owner_id, 'id', refund.id, 'attempt', refund.attempt, 'amount', refund.amount, 'currency', refund.currency,
    'created_at', iso(refund.created_at), 'account', account_json(purchase.paywall_id, purchase.acquiring),
    'payment', (
      select p.processor_payment from payments p where p.purchase_id = purchase.id and p.payment_id = refund.payment_id limit 1),
    'about', jsonb_build_object(
      'kind', case when purchase.interval is null then 'payment' else 'subscription' end, 'id', purchase.processor_id));
end $$;

-- A refund as the API shows it, and its purchase as `user` shows it.
create function refund_reply(refund refunds) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'refund', jsonb_build_object(
        'id', refund.id, 'payment', refund.payment_id, 'amount', refund.amount, 'currency', refund.currency,
        'status', case refund_fact(refund, p.acquiring)
          when 'refunded' then 'succeeded' when 'refund_failed' then 'failed' else 'pending' end,
        'created_at', iso(refund.created_at)),
      'purchase', purchase_json(p) || jsonb_build_object('last_payment', last_payment_json(p.id)))
    from purchases p where p.id = refund.purchase_id);
end $$;

-- How long an attempt blocks others: longer than all calls of the processor client together. After a crash other calls wait this long.
create function refund_lease() returns interval language sql immutable as $$ select interval '60 seconds' $$;
