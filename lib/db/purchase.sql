-- What the API says of purchases, and whether they let their user in.

-- A time as the API and the events write it: ISO 8601, UTC, milliseconds.
create function iso(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- A purchase as the API and the events show it (contract section 2). Its features are those of its price as the paywall file has them
-- now: of the price that is on sale under its slug, or, where none is, as the file last had them.
create function purchase_json(p purchases) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', p.id, 'status', p.status, 'acquiring', p.acquiring,
      'price_id', p.price_id, 'price_slug', sold.slug, 'features', coalesce(on_sale.features, sold.features),
      'interval', p.interval, 'interval_count', p.interval_count, 'unit_amount', p.unit_amount, 'currency', p.currency,
      'current_period_end', iso(p.current_period_end), 'trial_end', iso(p.trial_end),
      'cancel_at_period_end', p.cancel_at_period_end, 'cancel_at', iso(p.cancel_at), 'canceled_at', iso(p.canceled_at),
      'created_at', iso(p.created_at))
    from prices sold
    left join prices on_sale
      on on_sale.paywall_id = sold.paywall_id and on_sale.slug = sold.slug and on_sale.retired_at is null
    where sold.id = p.price_id);
end $$;

-- Whether a member has had a trial, by any purchase but this one. While the member's row is locked nobody adds one.
create function has_other_trial(paywall_id text, user_id uuid, purchase_id uuid) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from purchases p
    where p.paywall_id = has_other_trial.paywall_id and p.user_id = has_other_trial.user_id and p.trial_start is not null
      and p.id is distinct from purchase_id);
end $$;

-- How long a purchase that is past due still gives access.
create function grace_period() returns interval language sql immutable as $$ select interval '7 days' $$;

-- How long a purchase that renews still gives access after its period: we may not have heard of the next one yet.
create function renewal_grace() returns interval language sql immutable as $$ select interval '3 days' $$;

-- When a purchase is to end; null: it renews, or was bought once.
create function scheduled_end(p purchases) returns timestamptz language sql stable as $$
  select coalesce(p.cancel_at, case when p.cancel_at_period_end then p.current_period_end end)
$$;

-- Whether a purchase gives access at a time: it is trialing or active, its period with the renewal grace not over, or past due within
-- the grace period. Never after its scheduled end.
create function gives_access(p purchases, at timestamptz) returns boolean language sql stable as $$
  select (
    p.status in ('trialing', 'active') and coalesce(p.current_period_end + renewal_grace() > at, true)
    or p.status = 'past_due' and p.past_due_since > at - grace_period()
  ) and coalesce(scheduled_end(p) > at, true)
$$;

-- Whether a purchase gives access at a time and was paid for: all that the user may have had of it so far is not just a trial.
create function is_paying(p purchases, at timestamptz) returns boolean language sql stable as $$
  select gives_access(p, at) and p.status <> 'trialing' and coalesce(p.paid_period_start >= p.trial_end, true)
$$;
