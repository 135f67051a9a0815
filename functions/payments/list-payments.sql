-- Lists the payments of a token's user on a paywall that succeeded, latest first, one page at a time: those before `before`, a payment's id.
-- Parts of one payment are listed as one, dated by the first part.
create function list_payments(
  token_user_id uuid, token_audience text, token_session_id uuid, paywall_id text, host text, before text default null
) returns jsonb language plpgsql stable security definer as $$
declare
  page_size constant integer := 12; -- a year of monthly payments
  gate record;
  member record;
  last payments;
  listed jsonb;
begin
  gate := open_user_gate(token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  member := find_member(paywall_id, token_user_id, null, null, null);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;

  if before is not null then
    last := find_member_payment(paywall_id, member.id, before);
    if last.id is null then return verdict('unknown_payment') || logged(member.id); end if;
  end if;
  select coalesce(jsonb_agg(listed_payment_json(p) order by p.occurred_at desc, p.id desc), '[]') into listed
  from latest_payments(paywall_id, member.id, last, page_size + 1) p;
  return verdict('found') || logged(member.id) || jsonb_build_object(
    'payments', listed - page_size, 'has_more', jsonb_array_length(listed) > page_size);
end $$;

-- The first fact of each payment of a member that succeeded, latest first, and before `last` unless that is null. Reads no more of each
-- purchase than it returns: uses the indexes purchases_of_member and payments_of_purchase.
create function latest_payments(paywall_id text, user_id uuid, last payments, most integer) returns setof payments
language plpgsql stable
set enable_seqscan = off set enable_sort = off -- whatever the statistics say of other buyers, no purchase is read whole and then sorted
as $$
begin
  return query
    select (paid).*
    from purchases bought cross join lateral (
      select p as paid from payments p
      where p.purchase_id = bought.id and p.kind = 'succeeded' and is_first_part(p)
        and p.occurred_at <= coalesce(last.occurred_at, 'infinity')
        and (last.id is null or (p.occurred_at, p.id) < (last.occurred_at, last.id))
      order by p.occurred_at desc, p.id desc limit most) latest
    where (bought.paywall_id, bought.user_id) = (latest_payments.paywall_id, latest_payments.user_id)
    order by (paid).occurred_at desc, (paid).id desc limit most;
end $$;

-- Whether no other part of the payment succeeded before this one.
create function is_first_part(part payments) returns boolean language plpgsql stable as $$
begin
  return not exists (
    select from payments p
    where (p.paywall_id, p.acquiring, p.processor_payment) = (part.paywall_id, part.acquiring, part.processor_payment)
      and p.kind = 'succeeded' and (p.occurred_at, p.id) < (part.occurred_at, part.id));
end $$;

-- A payment as the list shows it. If the tax of one part is unknown, so is that of the whole; likewise the discount.
create function listed_payment_json(payment payments) returns jsonb language plpgsql stable as $$
declare
  totals constant record := payment_totals(payment);
begin
  return (
    select jsonb_build_object(
      'id', payment.payment_id, 'acquiring', payment.acquiring, 'price_slug', price.slug, 'label', price.label,
      'amount', totals.amount, 'currency', payment.currency, 'paid_at', iso(payment.occurred_at),
      'tax', case when facts.has_tax then facts.tax end, 'discount', case when facts.has_discount then facts.discount end,
      'refunded_amount', totals.refunded, 'is_disputed', facts.is_disputed)
    from (
      select
        bool_and(p.tax is not null) filter (where p.kind = 'succeeded') as has_tax,
        sum(p.tax) filter (where p.kind = 'succeeded') as tax,
        bool_and(p.discount is not null) filter (where p.kind = 'succeeded') as has_discount,
        sum(p.discount) filter (where p.kind = 'succeeded') as discount,
        coalesce(bool_or(p.kind = 'disputed' and not exists (
          select from payments decided
          where (decided.paywall_id, decided.acquiring, decided.fact_id) = (p.paywall_id, p.acquiring, p.fact_id)
            and decided.kind in ('dispute_lost', 'dispute_won'))), false) as is_disputed
      from payments p
      where (p.paywall_id, p.acquiring, p.processor_payment)
        = (payment.paywall_id, payment.acquiring, payment.processor_payment)) facts
    left join prices price on price.id = payment.price_id);
end $$;
