-- Records that a processor has accepted a refund, by its id of it and the amount that it returns. If it has returned the money already,
-- `fact` is the money fact: that is kept like one of a webhook, so that it counts even if the read that follows fails. Returns the
-- paywall's time before that read. Idempotent, because two attempts may get the same answer. Locks the refund.
create function accept_refund(
  owner_id uuid, refund_id uuid, processor_refund text, amount bigint, fact jsonb default null
) returns jsonb language plpgsql security definer as $$
declare
  refund refunds;
  purchase purchases;
  present timestamptz;
begin
  update refunds r set processor_refund = accept_refund.processor_refund, amount = accept_refund.amount
  where (r.owner_id, r.id) = (accept_refund.owner_id, refund_id)
  returning r.* into refund;
  select * into purchase from purchases p where p.id = refund.purchase_id;
  present := paywall_now(refund.paywall_id);
  insert into pending_events as e (
    owner_id, paywall_id, acquiring, event_id, kind, processor_id, versions, payment, trial_ending, received_at, due_at)
  select refund.owner_id, refund.paywall_id, purchase.acquiring, 'refund ' || refund.id,
    case when purchase.interval is null then 'payment' else 'subscription' end, purchase.processor_id, '{}', fact, false, present,
    pending_event_due(present, present)
  where fact is not null and not is_repeated(refund.paywall_id, purchase.acquiring, 'refund ' || refund.id)
  on conflict on constraint pending_events_pkey do nothing;
  return to_jsonb(time_before_fetch(refund.paywall_id));
end $$;
