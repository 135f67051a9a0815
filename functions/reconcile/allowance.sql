-- Rate limit of reconcile's calls to a processor account, so that most of what the processor allows is left to checkouts. Times are the
-- paywall's. A time noted by another clock, such as a test paywall's that was moved, is ignored.

-- Consumes the calls of one read from the allowance of a paywall's account. Null, or how long until the whole allowance is refilled, so
-- that a run does not go on read by read. `limits` is
-- by processor, {calls, test: {max, seconds}, live}; null: not limited.
--
-- Waits for no lock: while another call consumes from the same account, none is left.
create function consume_calls(limits jsonb, paywall_id text, acquiring text, present timestamptz) returns interval
language plpgsql as $$
declare
  account constant text := account_key(paywall_id, acquiring);
  calls constant bigint := limits -> acquiring -> 'calls';
  allowed constant jsonb := limits -> acquiring -> substring(account from '[a-z]+$');
  period constant interval := make_interval(secs => (allowed ->> 'seconds')::double precision);
begin
  if limits is null then return null; end if;
  if not pg_try_advisory_xact_lock(calls_lock(account)) then return interval '1 second'; end if;

  delete from rate_limits l where (l.name, l.key) = ('reconcile', account) and l.refilled_at > present + period;
  if consume('reconcile', account, calls, (allowed -> 'max')::bigint, period, present) is null then return null; end if;
  return period;
end $$;

create function calls_lock(account text) returns bigint language sql immutable as $$ select hashtextextended(account, 0) $$;
