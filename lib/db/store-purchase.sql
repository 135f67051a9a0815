-- The one way in which a purchase changes: what a processor says of it now is stored, the checkout is completed, a payment is
-- noted, the tokens of its price are credited and the owner's events are written, all or nothing. May be repeated.
--
--   snapshot    the purchase, with the names of its columns
--   fetched_at  the database's clock the instant before the fetch began: a later fetch always wins
--   facts       what is known besides: period_covered, trial_ending, payment {kind, id, amount, currency, occurred_at} or null
--   event_id    the processor event's id, by which a repeat is known for ever; null if it was no event that made us look
--
-- Locks the member and then the purchase. Verdicts: `stored`; `repeated`, the event took effect before; `never_bought`, the
-- purchase ended before its first payment, and was not stored until now; `unknown_checkout`, the sale is not one of ours.
create function store_purchase(
  paywall_id text, acquiring text, checkout_id uuid, snapshot jsonb, fetched_at timestamptz, facts jsonb,
  event_id text default null
) returns jsonb language plpgsql security definer as $$
declare
  checkout checkouts;
  before purchases;
  after purchases;
  owner uuid;
  queued integer := 0;
begin
  checkout := lock_checkout_member(paywall_id, checkout_id);
  if checkout.id is null or checkout.acquiring <> acquiring then return verdict('unknown_checkout'); end if;

  if event_id is not null then
    insert into processor_events as e (paywall_id, acquiring, event_id) values (paywall_id, acquiring, event_id)
    on conflict on constraint processor_events_pkey do nothing;
    if not found then return verdict('repeated') || jsonb_build_object('queued', 0); end if;
  end if;

  select * into before from purchases p
  where p.paywall_id = store_purchase.paywall_id and p.acquiring = store_purchase.acquiring
    and p.processor_id = snapshot ->> 'processor_id' for no key update;
  after := apply_snapshot(before, checkout, snapshot, fetched_at, facts);
  if before.id is null and not after.begun and after.status = 'canceled' then
    return verdict('never_bought') || jsonb_build_object('queued', 0);
  end if;
  perform write_purchase(before, after);

  owner := (select p.owner_id from paywalls p where p.id = paywall_id);
  -- The owner is told in this order.
  queued := queued + tell_of_checkout(owner, checkout, after);
  queued := queued + tell_of_subscription(owner, before, after);
  queued := queued + note_payment(owner, after, facts -> 'payment');
  queued := queued + credit_tokens(owner, before, after);
  return verdict('stored') || jsonb_build_object('queued', queued);
end $$;
