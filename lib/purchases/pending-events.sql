-- Verified events that wait until their purchase can be read in a state as new as the event. The call that stores that read applies the
-- event, money fact included, and deletes it here.

-- When to retry the read for an event that was received at `received_at`; null: never, and the event is given up. Times are the paywall's.
create function pending_event_due(received_at timestamptz, present timestamptz) returns timestamptz language plpgsql immutable as $$
declare
  first_reads constant interval[] := '{2 seconds,5 seconds,15 seconds,30 seconds}';
  age constant interval := present - received_at;
begin
  return coalesce(
    (select min(received_at + after) from unnest(first_reads) after where after > age),
    present + case
      when age < interval '1 hour' then interval '1 minute'
      when age < interval '1 day' then interval '10 minutes'
      when age < interval '7 days' then interval '1 hour' end);
end $$;

-- Deletes a pending event, unless it was received again since `read_at`: it was applied, or concerns nothing of ours.
create function remove_pending_event(
  paywall_id text, acquiring text, event_id text, read_at timestamptz default 'infinity'
) returns void language plpgsql as $$
begin
  delete from pending_events e
  where e.owner_id = (select p.owner_id from paywalls p where p.id = remove_pending_event.paywall_id)
    and (e.paywall_id, e.acquiring, e.event_id) = (remove_pending_event.paywall_id, remove_pending_event.acquiring, remove_pending_event.event_id)
    and e.received_at <= read_at;
end $$;

-- Keeps a read of a stored purchase for which something remains to be done at its processor, as keep_notice() does for a notice about its
-- sale. A read that is kept already keeps its due times, which grow rarer while the processor is unavailable.
create function keep_read(purchase purchases) returns void language plpgsql as $$
declare
  present constant timestamptz := paywall_now(purchase.paywall_id);
begin
  insert into pending_events as e (
    owner_id, paywall_id, acquiring, event_id, kind, processor_id, versions, trial_ending, is_notice, received_at, due_at)
  select p.owner_id, p.id, purchase.acquiring, 'notice ' || purchase.checkout_id,
    case when purchase.interval is null then 'payment' else 'subscription' end, purchase.processor_id, '{}', false, true, present,
    pending_event_due(present, present)
  from paywalls p where p.id = purchase.paywall_id
  on conflict on constraint pending_events_pkey do nothing;
end $$;
