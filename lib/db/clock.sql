-- The time on a paywall's clock: the database's own, unless a test paywall's has been moved ahead (paywalls.clock_offset).
--
-- What is sold, told, promised and shown goes by it: periods, trials, grace, due times, daily top-ups, quotas of tickets, and
-- how long an Idempotency-Key is remembered. What protects the service and its data goes by the database's own `now()`: leases,
-- attempts to deliver, budgets, codes and sessions of sign-in, and when a person is forgotten.

-- How far a paywall's clock is ahead.
create function clock_offset(paywall_id text) returns interval language plpgsql stable as $$
begin
  return coalesce((select p.clock_offset from paywalls p where p.id = paywall_id), '0');
end $$;

-- The paywall's time when this call began.
create function paywall_now(paywall_id text) returns timestamptz language plpgsql stable as $$
begin
  return now() + clock_offset(paywall_id);
end $$;

-- The paywall's UTC day when this call began.
create function utc_day_of(paywall_id text) returns date language plpgsql stable as $$
begin
  return (paywall_now(paywall_id) at time zone 'utc')::date;
end $$;

-- The paywall's time at this moment, to be stored as the time of a fetch that follows.
create function time_before_fetch(paywall_id text) returns text language plpgsql volatile as $$
begin
  return (clock_timestamp() + clock_offset(paywall_id))::text;
end $$;

-- A time as the API and the events write it: ISO 8601, UTC, milliseconds.
create function iso(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
