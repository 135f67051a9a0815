-- Takes what the reconcile cron should poll: about `count` hosted pages, purchases and pending reads. Round-robin: each paywall with
-- something due gets one of each, the longest overdue first, and the rest of `count` is shared among them. So a paywall with many open
-- pages that nobody pays does not starve another.
--
-- Scans the paywalls with something pending in the order of their ids, wrapping around: at most a hundred, from the one after
-- `after` to `until`; if both are equal, that is a full round. `cursor` is where to continue, null at the end. The cost of a call does not
-- depend on how much is pending. Returns `DueReference`s of due-reference.ts. What exceeds an account's rate limit stays due (allowance.sql); `wait` is the
-- number of seconds until the first of those may be read.
create function take_due(count integer, after text, until text, limits jsonb default null) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a plan cached while a table was empty must not scan all of it later
as $$
declare
  steps constant integer := 100;
  is_last_part boolean := after < until; -- true once the scan has wrapped around: it ends at `until`
  paywall text;
  turn record;
  wait interval;
  taken jsonb := '[]';
  queue text[] := '{}'; -- paywalls that may have more
  cursor text := after; -- null if the scan is complete
begin
  for step in 1..steps loop
    paywall := next_waiting_paywall(cursor);
    if paywall is null and not is_last_part then
      is_last_part := true;
      cursor := '';
      continue;
    end if;
    if paywall is null or is_last_part and paywall > until then
      cursor := null;
      exit;
    end if;
    cursor := paywall;
    turn := take_next(paywall, limits);
    wait := least(wait, turn.wait);
    continue when turn.taken = '[]';
    taken := taken || turn.taken;
    queue := queue || paywall;
    exit when jsonb_array_length(taken) >= count;
  end loop;

  while jsonb_array_length(taken) < count and cardinality(queue) > 0 loop
    turn := take_next(queue[1], limits);
    wait := least(wait, turn.wait);
    taken := taken || turn.taken;
    queue := case when turn.taken = '[]' then queue[2:] else queue[2:] || queue[1] end;
  end loop;
  return jsonb_build_object('references', taken, 'cursor', cursor, 'wait', ceil(extract(epoch from wait)));
end $$;

-- The first paywall after `after` with something pending, due or not; null if there is none. Reads one entry of each index.
create function next_waiting_paywall(after text) returns text language plpgsql stable as $$
begin
  return least(
    (select e.paywall_id from pending_events e where e.paywall_id > after order by e.paywall_id, e.due_at limit 1),
    (select c.paywall_id from checkouts c
     where c.paywall_id > after and c.reconcile_at is not null
     order by c.paywall_id, c.reconcile_at limit 1),
    (select p.paywall_id from purchases p where p.paywall_id > after and p.reconcile_at is not null
     order by p.paywall_id, p.reconcile_at limit 1));
end $$;

-- Takes a paywall's longest overdue page, purchase and pending events, if there are any. That advances the due time, so that concurrent
-- runs take others, and one that cannot be fetched blocks none. What belongs to a held account (lib/processors/held-accounts.sql) becomes
-- due when the hold ends.
--
-- Locks these rows. It waits for no row lock, since locked rows are skipped, and it locks no member: so it cannot deadlock with writers,
-- who lock a member and then its purchases.
create function take_next(paywall_id text, limits jsonb, out taken jsonb, out wait interval) language plpgsql as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  page checkouts;
  purchase purchases;
  event pending_events;
  pending_read jsonb;
  hold interval;
  pause interval;
begin
  taken := '[]';
  select e.* into event from pending_events e
  where e.paywall_id = take_next.paywall_id and e.due_at <= present order by e.due_at limit 1 for no key update skip locked;
  hold := held_for(paywall_id, event.acquiring, present);
  if event.event_id is not null and hold is not null then
    update pending_events e set due_at = present + hold
    where (e.owner_id, e.paywall_id, e.acquiring, e.event_id)
      = (event.owner_id, event.paywall_id, event.acquiring, event.event_id);
  elsif event.event_id is not null then
    pause := consume_calls(limits, paywall_id, event.acquiring, present);
    wait := least(wait, pause);
    if pause is null then
      pending_read := take_pending_read(paywall_id, event.acquiring, event.kind, event.processor_id);
    end if;
    if pending_read is not null then taken := taken || pending_read; end if;
  end if;

  pause := null;
  select c.* into page from checkouts c
  where c.paywall_id = take_next.paywall_id and c.reconcile_at <= present
  order by c.reconcile_at limit 1 for no key update skip locked;
  hold := held_for(paywall_id, page.acquiring, present);
  if page.id is not null and hold is not null then
    update checkouts c set reconcile_at = present + hold where c.id = page.id;
  elsif page.id is not null then
    pause := consume_calls(limits, paywall_id, page.acquiring, present);
    wait := least(wait, pause);
  end if;
  if page.id is not null and hold is null and pause is null then
    update checkouts c set polled_at = present, reconcile_at = checkout_due(page.created_at, present) where c.id = page.id;
    taken := taken || (due_reference_json('page', page.hosted_page_id, page.id, page.paywall_id, page.acquiring)
      || jsonb_build_object('sale', page_sale_json(page)));
  end if;

  select p.* into purchase from purchases p
  where p.paywall_id = take_next.paywall_id and p.reconcile_at <= present
  order by p.reconcile_at limit 1 for no key update skip locked;
  pause := null;
  hold := held_for(paywall_id, purchase.acquiring, present);
  if purchase.id is not null and hold is not null then
    update purchases p set reconcile_at = present + hold where p.id = purchase.id;
  elsif purchase.id is not null then
    pause := consume_calls(limits, paywall_id, purchase.acquiring, present);
    wait := least(wait, pause);
  end if;
  if purchase.id is not null and hold is null and pause is null then
    update purchases p set polled_at = present, reconcile_at = purchase_due(purchase, present) where p.id = purchase.id;
    taken := taken || (due_reference_json(
        case when purchase.interval is null then 'payment' else 'subscription' end,
        purchase.processor_id, purchase.id, purchase.paywall_id, purchase.acquiring)
      || jsonb_build_object('refunds', recent_refunds(purchase, present), 'stop', case
        when purchase.stop_requested_at is not null and purchase.stopped_at is null then stop_order_json(purchase) end));
  end if;
end $$;

-- What was taken, with the account to query.
create function due_reference_json(kind text, processor_id text, id uuid, paywall_id text, acquiring text) returns jsonb
language plpgsql stable as $$
begin
  return jsonb_build_object(
    'kind', kind, 'processor_id', processor_id, 'id', id, 'paywall_id', paywall_id, 'account', account_json(paywall_id, acquiring),
    'taken_at', paywall_now(paywall_id)::text,
    'account_key', account_key(paywall_id, acquiring));
end $$;

-- The recently completed refunds of a purchase, the latest first: `CompletedRefund` in processor.ts. A bank may return a refund for weeks.
create function recent_refunds(purchase purchases, present timestamptz) returns jsonb language plpgsql stable as $$
declare
  may_fail_for constant interval := '60 days';
  max_count constant integer := 5;
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', refund.fact_id, 'paymentId', refund.processor_payment, 'amount', refund.amount, 'currency', refund.currency)), '[]')
    from (
      select r.* from payments r
      where r.purchase_id = purchase.id and r.kind = 'refunded' and r.occurred_at > present - may_fail_for and is_reported(r)
      order by r.occurred_at desc limit max_count) refund);
end $$;
