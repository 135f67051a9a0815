-- Webhook endpoints whose secret no key opens are held, without counting attempts.
alter table webhook_endpoints add column held_until timestamptz;
