-- Keeps an unsigned notice about a sale of ours: it proves nothing, and only makes us read the purchase. A flood of notices causes one read
-- every two seconds, since a sale has one row, which a read that began before the last notice does not delete. Locks that row.
--
--   checkout_id  the sale, as named in the webhook URL that we gave the processor
--   page_id      the processor's id of what the notice is about: of the page, if we have not recorded it
--
-- Verdicts: `kept`, with `kind` and `processor_id` of what is read and the seconds until then (`wait`); `unknown_sale`.
create function keep_notice(paywall_id text, acquiring text, checkout_id uuid, page_id text) returns jsonb
language plpgsql security definer as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  read_at constant timestamptz := pending_event_due(present, present);
  checkout checkouts;
  bought text;
  kind text;
  reference text;
begin
  select * into checkout from checkouts c
  where c.id = checkout_id and (c.paywall_id, c.acquiring) = (keep_notice.paywall_id, keep_notice.acquiring);
  if not found then return verdict('unknown_sale'); end if;
  bought := (
    select p.processor_id from purchases p where p.checkout_id = checkout.id and p.acquiring = checkout.acquiring
    order by p.created_at desc limit 1);
  -- As the page, a payment that has failed would be read as nothing bought, and its failure would not be reported.
  kind := case when bought is null then 'payment' else 'subscription' end;
  reference := coalesce(bought, checkout.hosted_page_id, page_id);

  insert into pending_events as e (
    owner_id, paywall_id, acquiring, event_id, kind, processor_id, versions, trial_ending, is_notice, received_at, due_at)
  select p.owner_id, p.id, checkout.acquiring, 'notice ' || checkout.id, kind, reference, '{}', false, true, present, read_at
  from paywalls p where p.id = checkout.paywall_id
  on conflict on constraint pending_events_pkey do update
  set kind = excluded.kind, processor_id = excluded.processor_id, received_at = excluded.received_at,
    due_at = least(e.due_at, excluded.due_at);
  return verdict('kept') || jsonb_build_object(
    'kind', kind, 'processor_id', reference, 'wait', extract(epoch from read_at - present));
end $$;
