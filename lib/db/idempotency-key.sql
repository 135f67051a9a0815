-- Locks an Idempotency-Key until the end of the transaction, before anything is looked up by it. The row that the key leads
-- to may not be there yet, and what is not there cannot be locked. The second of two calls with one key therefore waits here,
-- and then finds what the first one wrote. `purpose` keeps the keys of one kind of call apart from those of another.
create function lock_idempotency_key(purpose text, paywall_id text, key uuid) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(purpose || ' ' || paywall_id || ' ' || key, 0));
end $$;
