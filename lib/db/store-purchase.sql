-- The one way in which a purchase changes: what a processor says of it now is stored, the checkout is completed, a payment is
-- noted, the tokens of its price are credited and the owner's events are written, all or nothing. May be repeated.
--
--   checkout_id     the checkout that sold it; null if the processor keeps none: then checkout_of_sale finds it by `sold`
--   snapshot        the purchase, with the names of its columns
--   fetched_at      the paywall's time before the fetch: a later fetch always wins
--   period_covered  whether its current period, or the one-time purchase, is paid or a trial
--   trial_ending    whether the processor says that the trial is about to end
--   payment         {kind, id, amount, currency, occurred_at}, if a payment is known of
--   event_id        the processor event's id, by which a repeat is known for ever; null if it was no event that made us look
--
-- Locks the member and then the purchase. Verdicts: `stored`; `repeated`, the event took effect before; `never_bought`, the purchase
-- ended before its first payment, and was not stored until now; `second_trial`, the buyer has had a trial, so this purchase has not
-- begun, and the caller ends it at the processor; `unknown_checkout`, the sale is not one of ours. The first and the last but one
-- say `way_back`, the address that a returning browser goes on to.
create function store_purchase(
  paywall_id text, acquiring text, snapshot jsonb, fetched_at timestamptz, period_covered boolean, trial_ending boolean,
  checkout_id uuid default null, sold jsonb default null, payment jsonb default null, event_id text default null
) returns jsonb language plpgsql security definer as $$
declare
  checkout checkouts;
  before purchases;
  after purchases;
  refused boolean;
  completed checkouts;
  new_payment payments;
  credits ledger[];
  queued integer;
begin
  checkout := case when checkout_id is null then lock_sale(paywall_id, acquiring, snapshot, sold)
    else lock_checkout_member(paywall_id, checkout_id) end;
  if checkout.id is null or checkout.acquiring <> acquiring then return verdict('unknown_checkout'); end if;

  if is_repeated(paywall_id, acquiring, event_id) then
    return verdict('repeated') || jsonb_build_object('queued', 0);
  end if;

  select * into before from purchases p
  where p.paywall_id = store_purchase.paywall_id and p.acquiring = store_purchase.acquiring
    and p.processor_id = snapshot ->> 'processor_id' for no key update;
  refused := is_second_trial(before, checkout, snapshot);
  if refused then snapshot := snapshot || never_begun(); end if;
  after := apply_snapshot(before, checkout, snapshot, fetched_at, period_covered, trial_ending);
  if refused and before.id is null then
    return verdict('second_trial') || jsonb_build_object('queued', 0, 'way_back', way_back(checkout, 'error'));
  end if;

  -- An event that tells of a second trial is not noted: if that cannot be ended now, the processor must send it again.
  if event_id is not null and not refused then
    insert into processor_events as e (paywall_id, acquiring, event_id) values (paywall_id, acquiring, event_id)
    on conflict on constraint processor_events_pkey do nothing;
  end if;
  if before.id is null and not after.begun and after.status = 'canceled' then
    return verdict('never_bought') || jsonb_build_object('queued', 0);
  end if;

  perform write_purchase(after, before.id is null);
  completed := complete_checkout(checkout, after);
  new_payment := note_payment(after, payment);
  credits := credit_tokens(before, after);
  queued := tell_of_purchase(
    (select p.owner_id from paywalls p where p.id = paywall_id), completed, before, after, new_payment, credits);
  if refused then
    return verdict('second_trial') || jsonb_build_object('queued', queued, 'way_back', way_back(checkout, 'error'));
  end if;
  return verdict('stored') || jsonb_build_object('queued', queued, 'way_back', way_back(checkout, 'success'));
end $$;

-- Whether a processor event took effect before. Whoever stores something of it has locked the member of its checkout.
create function is_repeated(paywall_id text, acquiring text, event_id text) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from processor_events e
    where (e.paywall_id, e.acquiring, e.event_id) = (is_repeated.paywall_id, is_repeated.acquiring, is_repeated.event_id));
end $$;

-- Whether a snapshot is one of a trial that its buyer may not have: it has had one, by whatever page, and the owner has not
-- asked for a further one. Several pages may have been opened before the first trial began; of those that are paid, the first
-- that is stored is the trial. What has been paid for is never refused. The member's row must be locked.
create function is_second_trial(before purchases, checkout checkouts, snapshot jsonb) returns boolean
language plpgsql stable as $$
declare
  sale constant purchases := jsonb_populate_record(before, snapshot);
begin
  return sale.begun and not coalesce(before.begun, false)
    and coalesce(sale.current_period_start < sale.trial_end, false) and not checkout.further_trial
    and has_other_trial(checkout.paywall_id, checkout.user_id, before.id);
end $$;

-- What becomes of a snapshot that is refused: a purchase whose first payment was never made.
create function never_begun() returns jsonb language sql immutable as $$
  select '{"status": "canceled", "begun": false, "trial_start": null, "trial_end": null}'::jsonb
$$;

-- Completes the checkout if the purchase has begun. Gives its row, or null if it was completed before or is not yet.
create function complete_checkout(checkout checkouts, purchase purchases) returns checkouts language plpgsql as $$
begin
  if checkout.completed_at is not null or not purchase.begun then return null; end if;
  update checkouts c set completed_at = paywall_now(c.paywall_id) where c.id = checkout.id returning c.* into checkout;
  return checkout;
end $$;

-- Stores what a processor event says of a payment, once for each payment and kind. Gives its row, or null if it is not new.
create function note_payment(purchase purchases, fact jsonb) returns payments language plpgsql as $$
declare
  payment payments;
begin
  if fact is null then return null; end if;
  insert into payments as p (purchase_id, paywall_id, acquiring, processor_payment, kind, amount, currency, occurred_at)
  values (purchase.id, purchase.paywall_id, purchase.acquiring, fact ->> 'id', fact ->> 'kind',
    (fact ->> 'amount')::bigint, fact ->> 'currency', (fact ->> 'occurred_at')::timestamptz)
  on conflict do nothing returning p.* into payment;
  return payment;
end $$;

-- Credits the tokens of the price, in the order of their types: `count` once for each period that is paid for, and
-- `trial_count` once for a member, with its trial. A balance that would be too large is filled up. Gives the ledger rows. The
-- member's row must be locked.
create function credit_tokens(before purchases, after purchases) returns ledger[] language plpgsql as $$
declare
  on_trial constant boolean := after.status = 'trialing';
  credits ledger[] := '{}';
  tokens record;
  room bigint;
begin
  if after.paid_period_start is not distinct from before.paid_period_start then return credits; end if;
  if on_trial and (before.paid_period_start is not null or has_other_trial(after.paywall_id, after.user_id, after.id)) then
    return credits;
  end if;
  for tokens in
    select t ->> 'type' as type, (t ->> case when on_trial then 'trial_count' else 'count' end)::bigint as count
    from prices p, jsonb_array_elements(p.tokens) t where p.id = after.price_id order by 1
  loop
    room := largest_balance() - coalesce((
      select b.count from balances b
      where (b.paywall_id, b.user_id, b.type) = (after.paywall_id, after.user_id, tokens.type)), 0);
    continue when room = 0 or coalesce(tokens.count, 0) = 0;
    credits := credits || move_tokens(
      after.paywall_id, after.user_id, tokens.type, least(tokens.count, room),
      case when on_trial then 'trial' else 'plan' end, after.id::text);
  end loop;
  return credits;
end $$;
