-- Keeps a verified event whose purchase could not be read in a state as new as the event. Nothing of it can be lost from then on, so the
-- processor need not retry. Idempotent. Locks nothing.
--
--   reference  what to read: {kind, id, sold_to}, `PurchaseReference` in lib/processors/processor.ts
--   versions   versions of the objects that the event carries
--   payment    {kind, id, paymentId, amount, currency, occurred_at}, if it reports a payment
--   hold       the processor's `Retry-After` in seconds
--
-- Verdicts: `kept`, with `wait`, the seconds until its purchase is read; `repeated`: the event was applied before.
create function keep_event(
  paywall_id text, acquiring text, event_id text, reference jsonb, versions jsonb, trial_ending boolean, payment jsonb default null,
  hold double precision default null
) returns jsonb language plpgsql security definer as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  read_at constant timestamptz := pending_event_due(present, present);
begin
  if hold is not null then perform hold_account(paywall_id, acquiring, present + make_interval(secs => hold)); end if;
  if is_repeated(paywall_id, acquiring, event_id) then return verdict('repeated'); end if;
  insert into pending_events as e (
    owner_id, paywall_id, acquiring, event_id, kind, processor_id, sold_to, versions, payment, trial_ending, received_at, due_at)
  select p.owner_id, p.id, keep_event.acquiring, keep_event.event_id, reference ->> 'kind', reference ->> 'id',
    reference ->> 'sold_to', keep_event.versions, keep_event.payment, keep_event.trial_ending, present, read_at
  from paywalls p where p.id = keep_event.paywall_id
  on conflict on constraint pending_events_pkey do nothing;
  return verdict('kept') || jsonb_build_object(
    'wait', extract(epoch from greatest(read_at - present, held_for(paywall_id, acquiring, present))));
end $$;
