-- Applies a snapshot, fetched from the processor at `fetched_at`, to a purchase's row and returns the new row. `before` is the stored row,
-- all null if there is none. A snapshot that is older than the stored one, by the versions of its objects or else by the time of its fetch,
-- changes nothing, except that the processor may have announced the end of the trial. Writes nothing; the purchase's row must be locked.
create function apply_snapshot(
  before purchases, checkout checkouts, snapshot jsonb, fetched_at timestamptz, period_covered boolean, trial_ending boolean
) returns purchases language plpgsql as $$
declare
  present constant timestamptz := paywall_now(checkout.paywall_id);
  has_grown constant boolean := is_newer_version(before, snapshot);
  is_newest constant boolean := before.id is null or has_grown or fetched_at >= before.fetched_at;
  after purchases := before;
begin
  if before.id is null then after := new_purchase(checkout, present); end if;

  if is_newest then
    after := apply_owner_end(jsonb_populate_record(after, snapshot));
    -- A payment does not show the quantity that was sold.
    after.quantity := coalesce(after.quantity, before.quantity, checkout.quantity);
    -- For a one-time purchase a processor shows what was paid, with taxes and after discounts; the price is the checkout's.
    if after.interval is null and after.currency = checkout.currency then after.unit_amount := checkout.amount; end if;
    after.fetched_at := greatest(before.fetched_at, fetched_at);
    after.versions_at := case when has_grown then present else before.versions_at end;
    after.started_at := coalesce(before.started_at, after.started_at, present);
    after.buyer_email := case when before.buyer_erased_at is null
      then anonymous_buyer_email(after.user_id, coalesce(before.buyer_email, after.buyer_email)) end;
    after := set_status_times(after, before, present);
    after.processor_price := coalesce(after.processor_price, before.processor_price);
    after.paid_period_start := last_covered_period(before, after, period_covered, present);
    after := follow_scheduled_change(follow_plan(before, after, checkout, snapshot), snapshot);
    -- A fetch after the processor accepted the cancellation shows that it renews: the cancellation was undone there.
    if not after.cancel_at_period_end and fetched_at > before.cancel_accepted_at then
      after.cancel_requested_at := null;
      after.cancel_accepted_at := null;
      after.cancellation_reason := null;
    end if;
  end if;

  after.access_ended_at := case
    when is_past_grace(after, present) then coalesce(before.access_ended_at, present)
    when after.status = 'paused' then before.access_ended_at end;

  -- Announce the trial's end if the processor does, or if this is the newest snapshot and it is time. The processor's event may arrive
  -- after the trial has ended.
  if is_charged_after_trial(after) and (trial_ending or is_newest and after.trial_end <= present + trial_notice()) then
    after.trial_ending_notified_for := coalesce((snapshot ->> 'trial_end')::timestamptz, before.trial_ending_notified_for);
  end if;
  after.reconcile_at := purchase_due(after, after.polled_at);
  return after;
end $$;

-- Sets the times since when the purchase has had its status. Access is not lost later than it was to end, however late that is reported.
-- While paused nothing is paid: a purchase that was past due before stays so since then.
create function set_status_times(after purchases, before purchases, present timestamptz) returns purchases
language plpgsql stable as $$
begin
  after.past_due_since := case after.status
    when 'past_due' then coalesce(before.past_due_since, present)
    when 'paused' then before.past_due_since end;
  after.access_lost_at := case when after.status not in ('pending', 'trialing', 'active', 'past_due')
    then coalesce(before.access_lost_at, least(access_until(before), present)) end;
  return after;
end $$;

-- A new purchase with the columns that its checkout determines.
create function new_purchase(checkout checkouts, created_at timestamptz) returns purchases language plpgsql as $$
declare
  purchase purchases;
begin
  purchase.id := gen_random_uuid();
  purchase.paywall_id := checkout.paywall_id;
  purchase.user_id := checkout.user_id;
  purchase.checkout_id := checkout.id;
  purchase.price_id := checkout.price_id;
  purchase.acquiring := checkout.acquiring;
  purchase.created_at := created_at;
  purchase.access := (select price.access from prices price where price.id = checkout.price_id);
  return purchase;
end $$;

-- The address that a buyer gave the processor, if the user is anonymous.
create function anonymous_buyer_email(user_id uuid, buyer_email text) returns text language plpgsql stable as $$
begin
  return case when exists (
    select from users u where u.id = anonymous_buyer_email.user_id and is_anonymous(u)) then buyer_email end;
end $$;

-- The start of the last covered period. A one-time purchase has one. A purchase that had already ended at our first fetch credits no
-- tokens.
create function last_covered_period(
  before purchases, after purchases, period_covered boolean, present timestamptz
) returns timestamptz language plpgsql stable as $$
declare
  covered_from constant timestamptz := case
    when period_covered and after.status in ('trialing', 'active', 'paused') then coalesce(after.current_period_start, present) end;
begin
  if after.interval is null then return coalesce(before.paid_period_start, covered_from); end if;
  return greatest(before.paid_period_start, covered_from);
end $$;

-- Whether a purchase is on trial and will be charged when the trial ends.
create function is_charged_after_trial(p purchases) returns boolean language plpgsql stable as $$
begin
  return p.status = 'trialing' and not p.cancel_at_period_end;
end $$;

-- Stores the row. A new one is inserted with its required columns and then updated like any other. The columns are listed, so that a column
-- of a later migration gets its default.
create function write_purchase(after purchases, is_new boolean) returns void language plpgsql as $$
begin
  if is_new then
    insert into purchases (
      id, paywall_id, user_id, checkout_id, price_id, acquiring, processor_id, created_at,
      status, begun, access, unit_amount, currency, cancel_at_period_end, started_at, fetched_at
    ) values (
      after.id, after.paywall_id, after.user_id, after.checkout_id, after.price_id, after.acquiring, after.processor_id,
      after.created_at, after.status, after.begun, after.access, after.unit_amount, after.currency, after.cancel_at_period_end,
      after.started_at, after.fetched_at);
  end if;
  update purchases p set
    processor_customer = after.processor_customer, buyer_email = after.buyer_email,
    status = after.status, begun = after.begun,
    interval = after.interval, interval_count = after.interval_count,
    unit_amount = after.unit_amount, currency = after.currency,
    current_period_start = after.current_period_start, current_period_end = after.current_period_end,
    trial_start = after.trial_start, trial_end = after.trial_end, trial_ending_notified_for = after.trial_ending_notified_for,
    cancel_at_period_end = after.cancel_at_period_end, cancel_at = after.cancel_at, canceled_at = after.canceled_at,
    past_due_since = after.past_due_since, access_lost_at = after.access_lost_at,
    price_id = after.price_id, processor_price = after.processor_price, quantity = after.quantity,
    unmatched_from = after.unmatched_from, scheduled_change_at = after.scheduled_change_at,
    scheduled_price_id = after.scheduled_price_id, scheduled_quantity = after.scheduled_quantity,
    access_ended_at = after.access_ended_at,
    cancel_requested_at = after.cancel_requested_at, cancel_accepted_at = after.cancel_accepted_at,
    cancellation_reason = after.cancellation_reason, paid_period_start = after.paid_period_start,
    versions = after.versions, versions_at = after.versions_at,
    fetched_at = after.fetched_at, reconcile_at = after.reconcile_at
  where p.id = after.id;
end $$;
