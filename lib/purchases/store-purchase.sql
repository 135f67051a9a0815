-- The only function that changes a purchase: stores the processor's current state, completes the checkout, records payments, credits the
-- tokens of its price, emits the owner's events and adds to the owner's figures, all or nothing. Idempotent.
--
--   checkout_id     the checkout that sold it; null if the processor stores none: then find_checkout_of_sale finds it by `sold`
--   snapshot        the purchase, by the names of its columns
--   fetched_at      the paywall's time before the fetch: a later fetch always wins
--   period_covered  whether its current period, or the one-time purchase, is paid or a trial
--   trial_ending    whether the processor has announced the end of the trial
--   payments        [{kind, id, payment_id, amount, currency, occurred_at}]: the reported payments; one that succeeded may have
--                   {tax, discount, receipt_url}, and one that pays for a period also has {period_from, processor_price, quantity}; one that
--                   brought nothing has {brought_nothing}
--   versions        versions of all objects that were read: see object-versions.sql
--   event_id        the processor event's id, by which duplicates are recognised for ever; null if no event triggered the sync
--   unfinished      whether something remains to be done at the processor: then a further read is kept with the purchase
--
-- Locks the member and then the purchase. Verdicts: `stored`; `repeated`: the event was applied before; `never_bought`: the purchase ended
-- before its first payment, and was not stored until now; `second_trial`: the buyer has had a trial, so this purchase has not begun, and
-- the caller ends it at the processor; `outdated`: something newer is known of the purchase, and nothing was stored; `unknown_checkout`:
-- the sale is not one of ours; `first_charge_unknown`: the purchase has begun, and its snapshot lacks `charged`: the caller reads it from
-- the page, else takes `asked`, and calls again. `stored` and `second_trial` have `return_url`, the redirect of a returning browser.
-- `stored` also has `stop`: the member's subscriptions that must not be charged again (lib/purchases/replaced-purchases.sql).
create function store_purchase(
  paywall_id text, acquiring text, snapshot jsonb, fetched_at timestamptz, period_covered boolean, trial_ending boolean,
  checkout_id uuid default null, sold jsonb default null, payments jsonb default '[]', event_id text default null,
  versions jsonb default '{}', unfinished boolean default false
) returns jsonb language plpgsql security definer as $$
declare
  checkout checkouts;
  before purchases;
  after purchases;
  refused boolean;
  has_begun_now boolean;
  stops_again boolean;
  completed checkouts;
  noted payments[];
  paywall paywalls;
  credits ledger[];
  queued integer;
begin
  checkout := case when checkout_id is null then lock_sale(paywall_id, acquiring, snapshot, sold)
    else lock_checkout_member(paywall_id, checkout_id) end;
  if checkout.id is null or checkout.acquiring <> acquiring then return verdict('unknown_checkout'); end if;

  if is_repeated(paywall_id, acquiring, event_id) then
    perform remove_pending_event(paywall_id, acquiring, event_id);
    return verdict('repeated') || jsonb_build_object('queued', 0);
  end if;

  select * into before from purchases p
  where p.paywall_id = store_purchase.paywall_id and p.acquiring = store_purchase.acquiring
    and p.processor_id = snapshot ->> 'processor_id' for no key update;
  if is_outdated(before, paywall_id, acquiring, snapshot ->> 'processor_id', versions) then
    return verdict('outdated') || jsonb_build_object('queued', 0);
  end if;
  refused := is_second_trial(before, checkout, snapshot);
  if refused then snapshot := snapshot || never_begun(); end if;
  after := apply_snapshot(before, checkout, snapshot, fetched_at, period_covered, trial_ending);
  if refused and before.id is null then
    return verdict('second_trial') || jsonb_build_object('queued', 0, 'return_url', return_url(checkout, 'error'));
  end if;
  has_begun_now := after.begun and not coalesce(before.begun, false);
  if has_begun_now and snapshot ->> 'charged' is null then return first_charge_unknown(checkout, after); end if;

  -- An event about a second trial is not recorded: if the trial cannot be ended now, the processor must retry.
  if event_id is not null and not refused then
    insert into processor_events as e (paywall_id, acquiring, event_id) values (paywall_id, acquiring, event_id)
    on conflict on constraint processor_events_pkey do nothing;
    perform remove_pending_event(paywall_id, acquiring, event_id);
  end if;
  perform settle_offer(checkout, after);
  -- A first payment that failed for good is reported, although nothing was bought.
  if before.id is null and not after.begun and after.status = 'canceled' and not has_failed(payments) then
    return verdict('never_bought') || jsonb_build_object('queued', 0);
  end if;

  perform write_purchase(after, before.id is null);
  if unfinished then perform keep_read(after); end if;
  if has_begun_now then completed := complete_checkout(checkout, (snapshot ->> 'charged')::bigint); end if;
  select * into paywall from paywalls p where p.id = paywall_id;
  noted := record_payments(after, payments);
  credits := credit_tokens(before, after, checkout, snapshot)
    || credit_late_periods(after, noted, payments) || balance_refunds(after, noted, payments, paywall.settings);
  queued := emit_purchase_events(paywall.owner_id, completed, before, after, noted, credits);
  if has_begun_now then queued := queued + mark_replaced(paywall.owner_id, after); end if;
  stops_again := request_stop_again(before, after);
  perform record_subscription_changes(paywall.owner_id, after.id);
  if refused then
    return verdict('second_trial') || jsonb_build_object('queued', queued, 'return_url', return_url(checkout, 'error'));
  end if;
  return verdict('stored') || jsonb_build_object(
    'queued', queued, 'return_url', return_url(checkout, 'success'),
    'unmatched_price', case when after.unmatched_from is not null and has_other_plan(before, after)
      then coalesce(after.processor_price, format('%s %s', after.unit_amount, after.currency)) end,
    'stop', case when has_begun_now or stops_again then stop_orders_json(paywall_id, after.user_id) else '[]' end
  ) || logged(after.user_id, after.id, checkout.id, after.price_id);
end $$;

-- Whether a processor event was applied before. A caller that stores any of it must have locked the member of its checkout.
create function is_repeated(paywall_id text, acquiring text, event_id text) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from processor_events e
    where (e.paywall_id, e.acquiring, e.event_id) = (is_repeated.paywall_id, is_repeated.acquiring, is_repeated.event_id));
end $$;

-- Whether a snapshot is a second trial of its buyer, on whichever page, and the owner has not requested a further one. Several pages may
-- have been opened before the first trial began; of those that are paid, the first that is stored is the trial. A paid purchase is never
-- refused. The member's row must be locked.
create function is_second_trial(before purchases, checkout checkouts, snapshot jsonb) returns boolean
language plpgsql stable as $$
declare
  sale constant purchases := jsonb_populate_record(before, snapshot);
begin
  return sale.begun and not coalesce(before.begun, false)
    and coalesce(sale.current_period_start < sale.trial_end, false) and not checkout.further_trial
    and has_other_trial(checkout.paywall_id, checkout.user_id, before.id);
end $$;

-- Turns a refused snapshot into a purchase whose first payment was never made.
create function never_begun() returns jsonb language sql immutable as $$
  select '{"status": "canceled", "begun": false, "trial_start": null, "trial_end": null}'::jsonb
$$;

-- The verdict on a purchase that has begun, if its first payment is not known. `asked`: what its page asked for.
create function first_charge_unknown(checkout checkouts, purchase purchases) returns jsonb language plpgsql immutable as $$
begin
  return verdict('first_charge_unknown') || jsonb_build_object(
    'hosted_page_id', checkout.hosted_page_id,
    'asked', case when purchase.status = 'trialing' then 0
      else reduced_amount(coalesce(checkout.amount, purchase.unit_amount) * checkout.quantity, checkout.offer) end);
end $$;

-- Completes the checkout of a purchase that has begun, and stores the amount of the first payment. Returns its row. A link may be paid
-- again, which sells another purchase: the returned row shows that, and the stored one stays unchanged.
create function complete_checkout(checkout checkouts, charged bigint) returns checkouts language plpgsql as $$
begin
  checkout.charged := complete_checkout.charged;
  if checkout.completed_at is null then
    update checkouts c set
      completed_at = paywall_now(c.paywall_id), charged = checkout.charged,
      reconcile_at = case when not pages_sell_once(c.acquiring) then c.reconcile_at end
    where c.id = checkout.id;
  end if;
  checkout.completed_at := paywall_now(checkout.paywall_id);
  return checkout;
end $$;

-- Whether a hosted page can be paid only once. A link is polled as long as any page.
create function pages_sell_once(acquiring text) returns boolean language plpgsql stable as $$
begin
  return (select processor.pages_sell_once from processors processor where processor.acquiring = pages_sell_once.acquiring);
end $$;

create function has_failed(payments jsonb) returns boolean language sql immutable as $$
  select payments @> '[{"kind": "failed"}]'
$$;
