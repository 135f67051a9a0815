-- How long an event is listed: see functions/list-events/list-events.sql. Its body is redacted when it is as old: see redact-old-events.sql.
create function event_retention() returns interval language sql immutable as $$ select interval '30 days' $$;

-- Until when an event is listed: its retention begins when it is stored, and again when it is listed for the first time.
create function listed_until(e events) returns timestamptz language sql stable as $$
  select greatest(e.created_at, to_timestamp(e.position / 1000000.0)) + event_retention()
$$;
