-- Accounts whose processor has asked for a pause (`Retry-After`). Until it is over neither reconcile nor a webhook calls the processor:
-- their reads wait. Checkouts and cancellations, for which somebody waits, are tried. Times are the paywall's. A time noted by another
-- clock, such as a test paywall's that was moved, is ignored.

-- The key of an account: owner, mode and processor. An owner's paywalls may share one, and only the Worker `processors` could compare
-- credentials.
create function account_key(paywall_id text, acquiring text) returns text language plpgsql stable as $$
begin
  return (
    select p.owner_id || ' ' || account_key.acquiring || case when p.is_test then ' test' else ' live' end
    from paywalls p where p.id = account_key.paywall_id);
end $$;

-- Upper limit of a hold: callers' `Retry-After` has the same limit.
create function longest_hold() returns interval language sql immutable as $$ select interval '1 hour' $$;

-- Holds an account: no calls before `until`.
create function hold_account(paywall_id text, acquiring text, until timestamptz) returns void language plpgsql as $$
begin
  insert into rate_limits (name, key, refilled_at, consumed)
  values ('reconcile held', account_key(paywall_id, acquiring), until, 0)
  on conflict on constraint rate_limits_pkey do update set refilled_at = excluded.refilled_at;
end $$;

-- How long an account is still held; null if it is not.
create function held_for(paywall_id text, acquiring text, present timestamptz) returns interval language plpgsql stable as $$
begin
  return (
    select l.refilled_at - present from rate_limits l
    where (l.name, l.key) = ('reconcile held', account_key(held_for.paywall_id, held_for.acquiring))
      and l.refilled_at > present and l.refilled_at <= present + longest_hold());
end $$;
