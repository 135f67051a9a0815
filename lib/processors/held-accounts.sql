-- Accounts whose processor has asked for some time without calls. Until then neither reconcile nor a webhook asks anything of them: what
-- is to be read waits. Checkouts and cancellations, for which somebody waits, are tried. Time is the paywall's. What was noted by another
-- clock, as a test paywall's that was moved, does not count.

-- Whose account it is, in which mode. An owner's paywalls may share one, and only the Worker `processors` could see whether they do.
create function account_key(paywall_id text, acquiring text) returns text language plpgsql stable as $$
begin
  return (
    select p.owner_id || ' ' || account_key.acquiring || case when p.is_test then ' test' else ' live' end
    from paywalls p where p.id = account_key.paywall_id);
end $$;

-- The longest that a processor can hold us off: callers' `Retry-After` has the same limit.
create function longest_hold() returns interval language sql immutable as $$ select interval '1 hour' $$;

-- Notes that nothing is to be asked of an account before `until`.
create function hold_account(paywall_id text, acquiring text, until timestamptz) returns void language plpgsql as $$
begin
  insert into budgets as b (what, who, window_start, taken)
  values ('reconcile held', account_key(paywall_id, acquiring), until, 0)
  on conflict on constraint budgets_pkey do update set window_start = excluded.window_start;
end $$;

-- For how long nothing is to be asked of an account; null: it may be asked.
create function held_for(paywall_id text, acquiring text, present timestamptz) returns interval language plpgsql stable as $$
begin
  return (
    select b.window_start - present from budgets b
    where (b.what, b.who) = ('reconcile held', account_key(held_for.paywall_id, held_for.acquiring))
      and b.window_start > present and b.window_start <= present + longest_hold());
end $$;
