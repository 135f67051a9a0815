-- Takes the pending events of one purchase or page, to be applied to one read of it, if one of them is due. That advances their due times,
-- so that no other call takes them. An event that is not due again after this read is deleted: the read is its last chance. Null if none is
-- due, if another call is taking them, or if the account is held or its allowance is used up: then they stay due for the cron. Returns
-- `DueEvents` of due-reference.ts. `limits` are those of consume_calls; null: the read is not limited here.
--
-- Locks their rows without waiting. Before it locks any, it waits for other calls that consume from the account's allowance.
create function take_pending_read(
  paywall_id text, acquiring text, kind text, processor_id text, limits jsonb default null
) returns jsonb
language plpgsql security definer as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  event pending_events;
  read_at timestamptz;
  next_read_at timestamptz;
  sold_to text;
  events jsonb := '[]';
begin
  if held_for(paywall_id, acquiring, present) is not null then return null; end if;
  perform from pending_events e
  where (e.paywall_id, e.acquiring, e.kind, e.processor_id)
    = (take_pending_read.paywall_id, take_pending_read.acquiring, take_pending_read.kind, take_pending_read.processor_id)
    and e.due_at <= present;
  if not found then return null; end if;
  if limits is not null then
    -- It consumes from this account only, so waiting cannot deadlock.
    perform pg_advisory_xact_lock(calls_lock(account_key(paywall_id, acquiring)));
    if consume_calls(limits, paywall_id, acquiring, present) is not null then return null; end if;
  end if;

  for event in
    select * from pending_events e
    where (e.paywall_id, e.acquiring, e.kind, e.processor_id)
      = (take_pending_read.paywall_id, take_pending_read.acquiring, take_pending_read.kind, take_pending_read.processor_id)
    order by e.received_at, e.event_id for no key update skip locked
  loop
    read_at := pending_event_due(event.received_at, present);
    if read_at is null then perform remove_pending_event(paywall_id, acquiring, event.event_id); end if;
    update pending_events e set due_at = read_at
    where (e.owner_id, e.paywall_id, e.acquiring, e.event_id)
      = (event.owner_id, event.paywall_id, event.acquiring, event.event_id);
    next_read_at := least(next_read_at, read_at);
    sold_to := coalesce(sold_to, event.sold_to);
    events := events || jsonb_build_object(
      'id', event.event_id, 'versions', event.versions, 'payment', event.payment, 'trial_ending', event.trial_ending,
      'is_notice', event.is_notice,
      'may_miss', event.received_at <= present - object_may_be_missing(), 'is_last', read_at is null);
  end loop;
  if events = '[]' then return null; end if;
  return jsonb_build_object(
    'kind', 'events', 'about', jsonb_build_object('kind', kind, 'id', processor_id, 'sold_to', sold_to), 'paywall_id', paywall_id,
    'account', account_json(paywall_id, acquiring), 'account_key', account_key(paywall_id, acquiring),
    'taken_at', present::text, 'events', events,
    'wait', extract(epoch from next_read_at - present));
end $$;
