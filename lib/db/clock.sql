-- The time on a paywall's clock: the database's own, unless a test paywall's has been moved ahead (paywalls.clock_offset).
--
-- It is used for whatever concerns sales: periods, trials, grace, due times, daily top-ups, quotas of tickets, the lifetime of an
-- Idempotency-Key, and the times in responses and events. The database's own `now()` is used for whatever protects the service and its
-- data: leases, delivery attempts, rate limits, codes and sessions of sign-in, and the purging of personal data.

create function clock_offset(paywall_id text) returns interval language plpgsql stable as $$
begin
  return coalesce((select p.clock_offset from paywalls p where p.id = paywall_id), '0');
end $$;

-- The paywall's time at the start of this transaction.
create function paywall_now(paywall_id text) returns timestamptz language plpgsql stable as $$
begin
  return now() + clock_offset(paywall_id);
end $$;

-- The paywall's UTC day at the start of this transaction.
create function paywall_utc_day(paywall_id text) returns date language plpgsql stable as $$
begin
  return (paywall_now(paywall_id) at time zone 'utc')::date;
end $$;

-- The paywall's current time, to be stored as `fetched_at` of a fetch that follows.
create function time_before_fetch(paywall_id text) returns text language plpgsql volatile as $$
begin
  return (clock_timestamp() + clock_offset(paywall_id))::text;
end $$;

-- Formats a time for the API and the events: ISO 8601, UTC, milliseconds.
create function iso(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
