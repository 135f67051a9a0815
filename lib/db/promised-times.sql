-- For how long the contract promises something of a row (section 8). purge_expired keeps these rows an hour longer.

-- A reply, or a claim, under its Idempotency-Key.
create function idempotency_window() returns interval language sql immutable as $$ select interval '24 hours' $$;

-- A ticket in its sender's quotas.
create function quota_window() returns interval language sql immutable as $$ select interval '24 hours' $$;
