-- The polling policy of the reconcile cron; all of its times are defined here. Every function that changes the input of a due time sets
-- `reconcile_at` with these; null: never again.

-- How long before the end of a trial its owner is notified.
create function trial_notice() returns interval language sql immutable as $$ select interval '72 hours' $$;

-- Exponential backoff for something that began at `since` and was last polled at `last_polled_at`: first at the age `first_poll`, then
-- whenever its age has doubled since the last poll; last at the age `last_poll`.
create function poll_at_double_age(
  since timestamptz, last_polled_at timestamptz, first_poll interval, last_poll interval
) returns timestamptz language plpgsql stable as $$
begin
  return case
    when last_polled_at < since + first_poll then since + first_poll
    when last_polled_at < since + last_poll then since + least(2 * (last_polled_at - since), last_poll) end;
end $$;

-- When to poll a hosted page, last polled at `polled_at` (null: never): for as long as a bank transfer may take, since it may be no
-- purchase before its money arrives.
create function checkout_due(created_at timestamptz, polled_at timestamptz) returns timestamptz
language plpgsql stable as $$
begin
  return poll_at_double_age(created_at, coalesce(polled_at, created_at), interval '15 minutes', interval '336 hours');
end $$;

-- When to fetch a purchase that was expected to change at `since` and last fetched at `last_polled_at`: after `wait`, then hourly for a
-- day, then daily. Null if there is no `since`.
create function poll_again(since timestamptz, wait interval, last_polled_at timestamptz) returns timestamptz
language plpgsql stable strict as $$
declare
  hourly constant interval := '1 hour';
  hourly_for constant interval := '24 hours';
  daily constant interval := '24 hours';
begin
  return case
    when last_polled_at < since + wait then since + wait
    when last_polled_at < since + hourly_for then last_polled_at + hourly
    else last_polled_at + daily end;
end $$;

-- When to fetch a purchase that the cron last fetched at `polled_at`: the earliest of these times.
create function purchase_due(p purchases, polled_at timestamptz) returns timestamptz language plpgsql stable as $$
declare
  after_end constant interval := '1 minute';          -- it should have ended: its buyer may want to buy another one
  after_period_end constant interval := '1 hour';     -- its period has ended, and no renewal was reported
  after_period_start constant interval := '2 hours';  -- its period should be covered
  after_trial_notice constant interval := '1 hour';   -- the owner should have been notified of the end of its trial
  after_end_request constant interval := '10 minutes'; -- it was cancelled or stopped here, and no fetch has shown it yet
  after_plan_change constant interval := '10 minutes'; -- its plan was changed here, and not fetched after that took effect
  until_effective constant interval := '1 minute';    -- how long such a change may still take effect, or be missing in a read
  after_stop_request constant interval := '1 minute'; -- its processor has yet to stop charging it
  after_grace constant interval := '1 minute';        -- its grace period is over: an event is due
  after_features constant interval := '1 minute';     -- its features have expired with the last price of the file that was paid: an event is due
  at_least_every constant interval := '168 hours';    -- a subscription without another due time
  pending_every constant interval := '24 hours';      -- a pending payment, ...
  pending_limit constant interval := '336 hours';     -- ... for as long as a bank may take
  last_polled_at constant timestamptz := greatest(p.fetched_at, polled_at);
  end_requested_at constant timestamptz := greatest(p.cancel_requested_at, p.cancel_accepted_at, p.stopped_at);
  uncovered_since timestamptz;
  trial_notice_since timestamptz;
  ending_since timestamptz;
  pending_due timestamptz;
  stop_due timestamptz;
  refund_due timestamptz;
  grace_end timestamptz;
begin
  if p.stop_requested_at is not null and p.stopped_at is null then
    -- A webhook's fetch does not retry the stop.
    stop_due := poll_again(p.stop_requested_at, after_stop_request, greatest(p.stop_requested_at, polled_at));
    -- The retry that was to emit subscription.stop_failed may have been interrupted.
    if p.stop_alerted_at is null then stop_due := least(stop_due, polled_at + interval '1 hour'); end if;
  end if;
  if p.status = 'canceled' then
    -- It was not cancelled: its first payment was refunded entirely, and may be paid again while its period lasts.
    if p.begun and p.canceled_at is null and last_polled_at < p.current_period_end then
      refund_due := refund_check_due(p, last_polled_at);
    end if;
    return least(stop_due, refund_due, dispute_due(p, last_polled_at));
  end if;
  if p.status = 'pending' and last_polled_at < p.created_at + pending_limit then pending_due := last_polled_at + pending_every; end if;
  if p.interval is null then
    return coalesce(pending_due, least(refund_check_due(p, last_polled_at), dispute_due(p, last_polled_at)));
  end if;

  if p.status <> 'paused' and (p.paid_period_start is null or p.current_period_start > p.paid_period_start) then
    uncovered_since := p.current_period_start;
  end if;
  if p.status = 'trialing' and not p.cancel_at_period_end
    and p.trial_end is not null and p.trial_end is distinct from p.trial_ending_notified_for then
    trial_notice_since := greatest(p.trial_end - trial_notice(), p.created_at);
  end if;
  if not p.cancel_at_period_end and p.fetched_at < end_requested_at + until_effective then
    ending_since := end_requested_at;
  end if;
  if p.status in ('trialing', 'active', 'past_due') and p.access_ended_at is null then grace_end := access_until(p); end if;
  return least(
    stop_due,
    poll_again(grace_end, after_grace, last_polled_at),
    poll_again(case when p.fetched_at < p.unmatched_from then p.unmatched_from end, after_features, last_polled_at),
    pending_due,
    poll_again(scheduled_end(p), after_end, last_polled_at),
    poll_again(least(p.current_period_end, p.cancel_at), after_period_end, last_polled_at),
    poll_again(uncovered_since, after_period_start, last_polled_at),
    poll_again(trial_notice_since, after_trial_notice, last_polled_at),
    poll_again(ending_since, after_end_request, last_polled_at),
    poll_again(
      case when p.fetched_at < p.plan_changed_at + until_effective then p.plan_changed_at end, after_plan_change, last_polled_at),
    poll_again(p.fetched_at, at_least_every, last_polled_at));
end $$;

-- When to poll a one-time purchase for refunds: for a year. The buyer's bank may reverse it for months, and reversed money may return, by a
-- failed refund or a chargeback that the seller wins.
create function refund_check_due(p purchases, last_polled_at timestamptz) returns timestamptz language plpgsql stable as $$
declare
  at_once constant interval := '0';
begin
  if p.status = 'pending' then return null; end if;
  return poll_again(
    poll_at_double_age(p.created_at, p.fetched_at, interval '24 hours', interval '365 days'), at_once, last_polled_at);
end $$;

-- When to poll for disputes, if no webhook reports them: weekly, until a bank must have decided after the paid period has ended. It has 120
-- days to dispute the payment, and then weeks to decide. A running subscription is polled anyway.
create function dispute_due(p purchases, last_polled_at timestamptz) returns timestamptz language plpgsql stable as $$
declare
  weekly constant interval := '168 hours';
  decided_within constant interval := '182 days';
  paid_until constant timestamptz := greatest(p.paid_period_start, p.access_lost_at);
begin
  if p.paid_period_start is null or p.paid_period_start = p.trial_start or last_polled_at >= paid_until + decided_within
    or (select processor.sends_dispute_webhook from processors processor where processor.acquiring = p.acquiring) then
    return null;
  end if;
  return poll_again(p.fetched_at, weekly, last_polled_at);
end $$;
