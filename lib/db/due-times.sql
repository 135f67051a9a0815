-- When the reconcile cron looks at what a processor should have told us by then. All times of that policy are named here.
-- Every function that changes what a due time depends on sets `reconcile_at` with these; null: never again.

-- How long before the end of a trial its owner is told of it.
create function trial_notice() returns interval language sql immutable as $$ select interval '72 hours' $$;

-- When to look at something again that began at `since` and was last looked at at `last_seen`: at the age `first_look`, then
-- whenever it is twice as old as at the last look; last at the age `last_look`.
create function look_at_twice_the_age(
  since timestamptz, last_seen timestamptz, first_look interval, last_look interval
) returns timestamptz language plpgsql stable as $$
begin
  return case
    when last_seen < since + first_look then since + first_look
    when last_seen < since + last_look then since + least(2 * (last_seen - since), last_look) end;
end $$;

-- When to ask what became of a hosted page, last asked about at `looked_at` (null: never): for as long as a bank transfer may take, since
-- it may be no purchase before its money arrives.
create function checkout_due(created_at timestamptz, looked_at timestamptz) returns timestamptz
language plpgsql stable as $$
begin
  return look_at_twice_the_age(created_at, coalesce(looked_at, created_at), interval '15 minutes', interval '336 hours');
end $$;

-- Next time to fetch a purchase that we expected to change at `since` and last fetched at `last_seen`: after `wait`, then
-- hourly for a day, then daily. Null if there is no `since`.
create function look_again(since timestamptz, wait interval, last_seen timestamptz) returns timestamptz
language plpgsql stable strict as $$
declare
  hourly constant interval := '1 hour';
  hourly_for constant interval := '24 hours';
  daily constant interval := '24 hours';
begin
  return case
    when last_seen < since + wait then since + wait
    when last_seen < since + hourly_for then last_seen + hourly
    else last_seen + daily end;
end $$;

-- When to fetch a purchase that the cron last fetched at `looked_at`: the earliest time that any of these reasons gives.
create function purchase_due(p purchases, looked_at timestamptz) returns timestamptz language plpgsql stable as $$
declare
  after_period_end constant interval := '1 hour';     -- its period has ended, and we know of no next one
  after_period_start constant interval := '2 hours';  -- a period should be covered by then
  after_trial_notice constant interval := '1 hour';   -- the owner should be told of the end of its trial by then
  after_cancelling constant interval := '10 minutes'; -- it was cancelled here, and no fetch has shown that yet
  until_cancelled constant interval := '1 minute';    -- a request of unknown outcome may still take effect for so long
  after_stop_request constant interval := '1 minute'; -- it is never to be charged again, and its processor has not done that
  after_grace constant interval := '1 minute';        -- its grace period is over: the owner gets an event
  after_features constant interval := '1 minute';     -- what is paid for by a price of the file is over, and its features: likewise
  at_least_every constant interval := '168 hours';    -- a subscription that nothing else is due for
  pending_every constant interval := '24 hours';      -- a payment that is pending, ...
  pending_limit constant interval := '336 hours';     -- ... for as long as a bank may take
  last_seen constant timestamptz := greatest(p.fetched_at, looked_at);
  cancelled_here_at constant timestamptz := greatest(p.cancel_requested_at, p.cancel_accepted_at);
  uncovered_since timestamptz;
  trial_notice_since timestamptz;
  cancelling_since timestamptz;
  pending_due timestamptz;
  stop_due timestamptz;
  grace_end timestamptz;
begin
  if p.stop_requested_at is not null and p.stopped_at is null then
    -- A webhook's fetch asks nobody to stop it.
    stop_due := look_again(p.stop_requested_at, after_stop_request, greatest(p.stop_requested_at, looked_at));
  end if;
  if p.status = 'canceled' then return stop_due; end if;
  if p.status = 'pending' and last_seen < p.created_at + pending_limit then pending_due := last_seen + pending_every; end if;
  if p.interval is null then return coalesce(pending_due, paid_back_due(p, last_seen)); end if;

  if p.status <> 'paused' and (p.paid_period_start is null or p.current_period_start > p.paid_period_start) then
    uncovered_since := p.current_period_start;
  end if;
  if p.status = 'trialing' and not p.cancel_at_period_end
    and p.trial_end is not null and p.trial_end is distinct from p.trial_end_told then
    trial_notice_since := greatest(p.trial_end - trial_notice(), p.created_at);
  end if;
  if not p.cancel_at_period_end and p.fetched_at < cancelled_here_at + until_cancelled then
    cancelling_since := cancelled_here_at;
  end if;
  if p.status = 'past_due' and p.access_ended_at is null then grace_end := access_until(p); end if;
  return least(
    stop_due,
    look_again(grace_end, after_grace, last_seen),
    look_again(case when p.fetched_at < p.unnamed_from then p.unnamed_from end, after_features, last_seen),
    pending_due,
    look_again(least(p.current_period_end, p.cancel_at), after_period_end, last_seen),
    look_again(uncovered_since, after_period_start, last_seen),
    look_again(trial_notice_since, after_trial_notice, last_seen),
    look_again(cancelling_since, after_cancelling, last_seen),
    look_again(p.fetched_at, at_least_every, last_seen));
end $$;

-- When to ask where the money of a one-time purchase is: for a year. Its buyer's bank may take it back for months, and what went
-- back may come again, by a refund that fails or a chargeback that the seller wins.
create function paid_back_due(p purchases, last_seen timestamptz) returns timestamptz language plpgsql stable as $$
declare
  at_once constant interval := '0';
begin
  if p.status = 'pending' then return null; end if;
  return look_again(
    look_at_twice_the_age(p.created_at, p.fetched_at, interval '24 hours', interval '365 days'), at_once, last_seen);
end $$;
