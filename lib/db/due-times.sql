-- When the reconcile cron looks at what a processor should have told us by then. Every function that writes a checkout
-- or a purchase sets its `reconcile_at` with these; null: never again.

-- When to ask what became of a hosted page, last asked about at `looked_at` (null: never): 15 minutes after it was opened, then
-- each time at twice its age, up to four days.
create function checkout_due(created_at timestamptz, looked_at timestamptz) returns timestamptz
language plpgsql stable as $$
declare
  first_look constant interval := '15 minutes';
  last_look constant interval := '96 hours';
begin
  return case
    when looked_at is null then created_at + first_look
    when looked_at < created_at + last_look then created_at + least(2 * (looked_at - created_at), last_look) end;
end $$;

-- When to ask, if the processor should have told us something at `since` and we last asked at `seen`: first after `wait`,
-- then hourly for a day, then daily. Null if there is no `since`.
create function look_again(since timestamptz, wait interval, seen timestamptz) returns timestamptz
language sql stable strict as $$
  select case
    when seen < since + wait then since + wait
    when seen < since + interval '24 hours' then seen + interval '1 hour'
    else seen + interval '24 hours' end
$$;

-- When to fetch a purchase that the cron last fetched at `looked_at`: the earliest time that any of these reasons gives.
create function purchase_due(p purchases, looked_at timestamptz) returns timestamptz language plpgsql stable as $$
declare
  after_period_end constant interval := '1 hour';   -- its period has ended, and we know of no next one
  after_period_start constant interval := '2 hours'; -- a period should be covered by then
  before_trial_end constant interval := '72 hours';  -- the owner is told of the end of a trial
  after_cancelling constant interval := '10 minutes'; -- it was cancelled here, and we have not seen that there
  anyway constant interval := '168 hours';           -- a subscription that nothing else is due for
  bank_takes constant interval := '336 hours';       -- a pending payment is asked about daily for so long
  daily constant interval := '24 hours';
  seen constant timestamptz := greatest(p.fetched_at, looked_at);
  asked_to_cancel_at constant timestamptz := greatest(p.cancel_requested_at, p.cancel_accepted_at);
  uncovered_since timestamptz;
  untold_trial_end timestamptz;
  pending_due timestamptz;
begin
  if p.status in ('canceled', 'refunded') then return null; end if;
  if p.status = 'pending' and seen < p.created_at + bank_takes then pending_due := seen + daily; end if;
  if p.interval is null then return pending_due; end if;

  if p.status <> 'paused' and (p.paid_period_start is null or p.current_period_start > p.paid_period_start) then
    uncovered_since := p.current_period_start;
  end if;
  if p.status = 'trialing' and not p.cancel_at_period_end and p.trial_end_told is distinct from p.trial_end then
    untold_trial_end := p.trial_end;
  end if;
  return least(
    pending_due,
    look_again(least(p.current_period_end, p.cancel_at), after_period_end, seen),
    look_again(uncovered_since, after_period_start, seen),
    look_again(greatest(untold_trial_end - before_trial_end,
      case when untold_trial_end is not null then p.created_at end), interval '1 hour', seen),
    case when not p.cancel_at_period_end and p.fetched_at < asked_to_cancel_at + interval '1 minute'
      then look_again(asked_to_cancel_at, after_cancelling, seen) end,
    look_again(p.fetched_at, anyway, seen));
end $$;
