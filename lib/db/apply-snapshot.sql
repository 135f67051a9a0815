-- A purchase's row as it is to be stored, now that a processor has said at `fetched_at` what the purchase is. `before` is the
-- row so far, all null if there is none. A snapshot that is older than the stored one changes nothing, except that the owner
-- may have to be told that the trial is about to end. Writes nothing itself; the purchase's row must be locked.
create function apply_snapshot(
  before purchases, checkout checkouts, snapshot jsonb, fetched_at timestamptz, facts jsonb
) returns purchases language plpgsql as $$
declare
  trial_notice constant interval := '72 hours';
  after purchases := before;
  told_trial_end timestamptz;
  covered_from timestamptz;
begin
  if before.id is null then
    after.id := gen_random_uuid();
    after.paywall_id := checkout.paywall_id;
    after.user_id := checkout.user_id;
    after.checkout_id := checkout.id;
    after.price_id := checkout.price_id;
    after.acquiring := checkout.acquiring;
    after.created_at := now();
  end if;

  if before.id is null or fetched_at >= before.fetched_at then
    after := jsonb_populate_record(after, snapshot);
    after.fetched_at := fetched_at;
    after.past_due_since := case when after.status = 'past_due' then coalesce(before.past_due_since, now()) end;
    -- What has ended by the time that it is first seen gets no tokens any more.
    if (facts ->> 'period_covered')::boolean and after.status in ('trialing', 'active') then
      covered_from := coalesce(after.current_period_start, now());
    end if;
    after.paid_period_start := case
      when after.interval is null then coalesce(before.paid_period_start, covered_from)
      else greatest(before.paid_period_start, covered_from) end;
    -- The processor, asked after it took the request to cancel, says that it will renew: somebody undid it there.
    if not after.cancel_at_period_end and fetched_at > before.cancel_accepted_at then
      after.cancel_requested_at := null;
      after.cancel_accepted_at := null;
      after.cancellation_reason := null;
    end if;
  end if;

  if (facts ->> 'trial_ending')::boolean or (
    fetched_at >= coalesce(before.fetched_at, fetched_at) and after.status = 'trialing' and not after.cancel_at_period_end
    and after.trial_end <= now() + trial_notice
  ) then
    told_trial_end := (snapshot ->> 'trial_end')::timestamptz;
  end if;
  after.trial_end_told := coalesce(told_trial_end, before.trial_end_told);
  after.reconcile_at := purchase_due(after, after.looked_at);
  return after;
end $$;

-- Stores the row, new or changed: a new one is inserted with what no row can be without, and then gets the rest as any other.
-- It names the columns, so that one that a later migration adds gets its default.
create function write_purchase(before purchases, after purchases) returns void language plpgsql as $$
begin
  if before.id is null then
    insert into purchases (
      id, paywall_id, user_id, checkout_id, price_id, acquiring, processor_id, created_at,
      status, begun, unit_amount, currency, cancel_at_period_end, fetched_at
    ) values (
      after.id, after.paywall_id, after.user_id, after.checkout_id, after.price_id, after.acquiring, after.processor_id,
      after.created_at, after.status, after.begun, after.unit_amount, after.currency, after.cancel_at_period_end,
      after.fetched_at);
  end if;
  update purchases p set (
    processor_customer, status, begun, interval, interval_count, unit_amount, currency, current_period_start,
    current_period_end, trial_start, trial_end, trial_end_told, cancel_at_period_end, cancel_at, canceled_at,
    past_due_since, cancel_requested_at, cancel_accepted_at, cancellation_reason, paid_period_start, fetched_at, reconcile_at
  ) = (
    after.processor_customer, after.status, after.begun, after.interval, after.interval_count, after.unit_amount,
    after.currency, after.current_period_start, after.current_period_end, after.trial_start, after.trial_end,
    after.trial_end_told, after.cancel_at_period_end, after.cancel_at, after.canceled_at, after.past_due_since,
    after.cancel_requested_at, after.cancel_accepted_at, after.cancellation_reason, after.paid_period_start,
    after.fetched_at, after.reconcile_at)
  where p.id = after.id;
end $$;
