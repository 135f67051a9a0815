-- Locks an Idempotency-Key until the end of the transaction, before anything is looked up by it: the key's row may not exist yet, and a
-- missing row cannot be locked. The second of two calls with one key therefore waits here, and then finds what the first one wrote.
-- `purpose` separates the keys of different kinds of calls.
create function lock_idempotency_key(purpose text, paywall_id text, key uuid) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(purpose || ' ' || paywall_id || ' ' || key, 0));
end $$;
