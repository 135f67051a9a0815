-- What the API says of purchases, and whether they let their user in.

-- A time as the API and the events write it: ISO 8601, UTC, milliseconds.
create function iso(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- A purchase as the API and the events show it (contract section 2).
create function purchase_json(p purchases) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', p.id, 'status', p.status, 'acquiring', p.acquiring,
      'price_id', p.price_id, 'price_slug', (select price.slug from prices price where price.id = p.price_id),
      'interval', p.interval, 'interval_count', p.interval_count, 'unit_amount', p.unit_amount, 'currency', p.currency,
      'current_period_end', iso(p.current_period_end), 'trial_end', iso(p.trial_end),
      'cancel_at_period_end', p.cancel_at_period_end, 'cancel_at', iso(p.cancel_at), 'canceled_at', iso(p.canceled_at),
      'created_at', iso(p.created_at)));
end $$;

-- How long a purchase that is past due still gives access.
create function grace_period() returns interval language sql immutable as $$ select interval '7 days' $$;

-- Whether a purchase gives access now: it is trialing, active, or past due within the grace period, and its period is not over.
create function gives_access(p purchases) returns boolean language sql stable as $$
  select (p.status in ('trialing', 'active') or p.status = 'past_due' and p.past_due_since > now() - grace_period())
    and coalesce(p.current_period_end > now(), true)
$$;
