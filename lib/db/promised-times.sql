-- Periods that the contract promises (section 8). purge_expired keeps these rows an hour longer.

-- How long a reply or a claim is kept under its Idempotency-Key.
create function idempotency_window() returns interval language sql immutable as $$ select interval '24 hours' $$;

-- How long a ticket counts in its sender's quota.
create function quota_window() returns interval language sql immutable as $$ select interval '24 hours' $$;
