-- Makes a member's first pending delivery due. A `user.merged` stays as it is while a delivery about the merged user is pending. Locks
-- that first one: of two calls that each finish what a `user.merged` waited for, the second waits here, and then finds nothing pending.
create function make_first_due(endpoint_id uuid, paywall_id text, user_id uuid) returns void language plpgsql as $$
declare
  head deliveries;
begin
  select * into head from deliveries d
  where (d.endpoint_id, d.paywall_id, d.user_id) = (make_first_due.endpoint_id, make_first_due.paywall_id, make_first_due.user_id)
    and d.state = 'pending'
  order by d.sequence limit 1 for no key update;
  if head.next_attempt_at is not null or exists (
    select from deliveries d
    where (d.endpoint_id, d.paywall_id, d.user_id) = (head.endpoint_id, head.paywall_id, head.merged_user_id) and d.state = 'pending')
  then return; end if;
  update deliveries d set next_attempt_at = now()
  where (d.event_id, d.endpoint_id) = (head.event_id, head.endpoint_id);
end $$;
