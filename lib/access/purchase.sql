-- Purchases as the API shows them, and the rules of access.

-- A purchase as the API and the events show it (contract section 2). If no price of the file matches what is charged (see
-- plan-changes.sql), its price is null and its features expire, unless its access was lost before: `at` is the time for which it is shown.
-- Events show it as of its last fetch, so that an event's `previous` equals what the event before has shown.
create function purchase_json(p purchases, at timestamptz default null) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', p.id, 'status', p.status, 'acquiring', p.acquiring,
      'price_id', case when p.unmatched_from is null then p.price_id end,
      'price_slug', case when p.unmatched_from is null then sold.slug end,
      'features', case when coalesce(p.unmatched_from > least(coalesce(at, paywall_now(p.paywall_id)), p.access_lost_at), true)
        then price_features(sold) else '{}' end,
      'interval', p.interval, 'interval_count', p.interval_count, 'unit_amount', p.unit_amount, 'quantity', p.quantity,
      'currency', p.currency,
      'current_period_end', iso(p.current_period_end), 'trial_end', iso(p.trial_end),
      'scheduled_change', scheduled_change_json(p),
      'cancel_at_period_end', p.cancel_at_period_end, 'cancel_at', iso(p.cancel_at), 'canceled_at', iso(p.canceled_at),
      'access_until', iso(access_until(p)), 'created_at', iso(p.created_at))
    from prices sold where sold.id = p.price_id);
end $$;

-- The scheduled change of plan as the API shows it; null if there is none.
create function scheduled_change_json(p purchases) returns jsonb language plpgsql stable as $$
begin
  if p.scheduled_change_at is null then return null; end if;
  return jsonb_build_object(
    'price_id', p.scheduled_price_id,
    'price_slug', (select price.slug from prices price where price.id = p.scheduled_price_id),
    'quantity', p.scheduled_quantity,
    'effective_at', iso(p.scheduled_change_at));
end $$;

-- The features of a price as the paywall file lists them now: those of the price on sale under its slug or, if there is none, as last
-- listed.
create function price_features(price prices) returns text[] language plpgsql stable as $$
begin
  return coalesce(
    (select on_sale.features from prices on_sale
      where on_sale.paywall_id = price.paywall_id and on_sale.slug = price.slug and on_sale.retired_at is null),
    price.features);
end $$;

-- Whether a member has had a trial with any other purchase. While the member's row is locked, none can be added.
create function has_other_trial(paywall_id text, user_id uuid, purchase_id uuid) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from purchases p
    where p.paywall_id = has_other_trial.paywall_id and p.user_id = has_other_trial.user_id and p.trial_start is not null
      and p.id is distinct from purchase_id);
end $$;

-- How long a past due purchase still gives access: `settings.grace_days`, by default a week.
create function grace_period(paywall_id text) returns interval language plpgsql stable as $$
begin
  return make_interval(days => coalesce(
    (select (p.settings ->> 'grace_days')::integer from paywalls p where p.id = grace_period.paywall_id), 7));
end $$;

-- How long a renewing purchase still gives access after its period: the renewal may be reported late.
create function renewal_grace() returns interval language sql immutable as $$ select interval '3 days' $$;

-- The scheduled end of a purchase; null if it renews or is a one-time purchase.
create function scheduled_end(p purchases) returns timestamptz language sql stable as $$
  select coalesce(p.cancel_at, case when p.cancel_at_period_end then p.current_period_end end)
$$;

-- When a purchase's access ends, as currently known: at its scheduled end, after the renewal grace of its period, or after the grace period
-- if it is past due, whichever is first. A paused or ended purchase gave access until then. Null if it has no end, or has not begun.
create function access_until(p purchases) returns timestamptz language plpgsql stable as $$
begin
  return least(scheduled_end(p), case
    when p.status in ('trialing', 'active') then p.current_period_end + renewal_grace()
    when p.status = 'past_due' then p.past_due_since + grace_period(p.paywall_id)
    else p.access_lost_at end);
end $$;

-- Whether a subscription has not ended but no longer gives access: past due for too long, or its renewal was never reported.
create function is_past_grace(p purchases, at timestamptz) returns boolean language plpgsql stable as $$
begin
  return p.interval is not null and p.status in ('trialing', 'active', 'past_due')
    and coalesce(access_until(p) <= at, false) and coalesce(scheduled_end(p) > access_until(p), true);
end $$;

-- The next three functions answer different questions: do not substitute one for another. Whether a purchase gives access at a time:
create function gives_access(p purchases, at timestamptz) returns boolean language plpgsql stable as $$
begin
  return p.access and p.status in ('trialing', 'active', 'past_due') and coalesce(access_until(p) > at, true);
end $$;

-- Whether a subscription has not ended, so that its processor may still charge it, or may still report its next payment. Its buyer can use
-- the processor's portal, and is not sold another one.
create function is_running(p purchases, at timestamptz) returns boolean language sql stable as $$
  select p.interval is not null and p.status <> 'canceled' and not coalesce(has_reached_end(p, at), false)
$$;

-- Whether a subscription has reached its scheduled end. If the processor supports undoing a cancellation, that may have happened shortly
-- before the end, which only a read after it shows.
create function has_reached_end(p purchases, at timestamptz) returns boolean language plpgsql stable as $$
begin
  return scheduled_end(p) <= at
    and (p.fetched_at >= scheduled_end(p)
      or not (select there.supports_uncancel from processors there where there.acquiring = p.acquiring));
end $$;

-- Whether a purchase gives access at a time and is paid for, not just on trial.
create function is_paying(p purchases, at timestamptz) returns boolean language sql stable as $$
  select gives_access(p, at) and p.status <> 'trialing' and coalesce(p.paid_period_start >= p.trial_end, true)
$$;

-- The purchase that prevents selling a price to a user, lest the user pays twice: a running subscription, one that the owner has ended
-- here and its processor has not ended yet, or, if the price is a one-time price, a purchase of the same price that gives access, or will
-- when its money arrives: a bank transfer takes days. An edited price has another id and the same slug and counts as the same. A pack
-- never prevents a sale, and is never prevented. `except_id` is a purchase to ignore: the sale itself. All null if there is none.
create function blocking_purchase(
  paywall_id text, user_id uuid, price prices, except_id uuid default null
) returns purchases language plpgsql stable as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
begin
  if not price.access then return null; end if;
  return (
    select p from purchases p join prices bought on bought.id = p.price_id
    where p.paywall_id = blocking_purchase.paywall_id and p.user_id = blocking_purchase.user_id
      and p.id is distinct from except_id
      and (is_running(p, present)
        or p.ended_by_owner_at is not null and p.stop_requested_at is not null and p.stopped_at is null
        or price.interval is null and p.interval is null and bought.slug = price.slug
          and (gives_access(p, present) or p.access and p.status = 'pending'))
    order by p.interval is null, p.created_at desc, p.id limit 1);
end $$;
