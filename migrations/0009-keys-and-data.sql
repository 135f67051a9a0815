-- Webhook endpoints whose secret no key opens are held, without counting attempts.
alter table webhook_endpoints add column held_until timestamptz;

-- After 30 days the person leaves the bodies of events. Those that are there get 30 days from now on, since to give each its own
-- would write every row.
alter table events
  add column forget_at timestamptz default now() + interval '30 days',
  set (autovacuum_vacuum_scale_factor = 0.01);
create index events_by_age on events (forget_at) where forget_at is not null;
