-- Of a member's pending deliveries at a webhook endpoint only the first has a time for its next attempt; whoever finishes it
-- gives the next one its time. A guest's deliveries wait for no other, so each keeps its time.
alter table deliveries alter column next_attempt_at drop not null, alter column next_attempt_at drop default;
drop index deliveries_due;
update deliveries d set next_attempt_at = null
where d.state = 'pending' and exists (
  select from deliveries earlier
  where (earlier.endpoint_id, earlier.paywall_id, earlier.user_id) = (d.endpoint_id, d.paywall_id, d.user_id)
    and earlier.state = 'pending' and earlier.sequence < d.sequence);
create index deliveries_due on deliveries (endpoint_id, next_attempt_at)
  where state = 'pending' and next_attempt_at is not null;

-- A constant default is kept in the catalog: no row is written.
alter table webhook_endpoints add column failures integer not null default 0;
