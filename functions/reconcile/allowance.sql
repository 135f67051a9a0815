-- Rate limit of reconcile's calls to a processor account, so that most of what the processor allows is left to checkouts. Times are the
-- paywall's. A time noted by another clock, such as a test paywall's that was moved, is ignored.

-- Consumes the calls of one read from the allowance of a paywall's account. Null, or how long until the allowance is refilled. `limits` is
-- by processor, {calls, test: {most, seconds}, live}; null: not limited.
--
-- Waits for no lock: while another call consumes from the same account, none is left.
create function consume_calls(limits jsonb, paywall_id text, acquiring text, present timestamptz) returns interval
language plpgsql as $$
declare
  account constant text := account_key(paywall_id, acquiring);
  calls constant bigint := limits -> acquiring -> 'calls';
  allowed constant jsonb := limits -> acquiring -> substring(account from '[a-z]+$');
  period constant interval := make_interval(secs => (allowed ->> 'seconds')::double precision);
  counted budgets;
begin
  if limits is null then return null; end if;
  if not pg_try_advisory_xact_lock(calls_lock(account)) then return interval '1 second'; end if;

  select * into counted from budgets b where (b.what, b.who) = ('reconcile', account);
  if counted.window_start is null or present not between counted.window_start and counted.window_start + period then
    counted.window_start := present;
    counted.taken := 0;
  end if;
  if counted.taken + calls > (allowed -> 'most')::bigint then return counted.window_start + period - present; end if;
  insert into budgets as b (what, who, window_start, taken) values ('reconcile', account, counted.window_start, counted.taken + calls)
  on conflict on constraint budgets_pkey do update set window_start = excluded.window_start, taken = excluded.taken;
  return null;
end $$;

create function calls_lock(account text) returns bigint language sql immutable as $$ select hashtextextended(account, 0) $$;
