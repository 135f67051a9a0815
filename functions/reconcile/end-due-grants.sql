-- Records the end of grants whose time is over, at most `count` of them, the first ones first, and emits their events. Access does not wait
-- for this: it is computed when it is read. Returns the number of grants and of queued deliveries.
--
-- Locks each one's member, as every writer of a grant does, and the grant. Locked rows are in use and skipped, so this waits for no member.
create function end_due_grants(count integer) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  -- The latest time on any paywall's clock, so that the index finds what may be due. Only the local world moves clocks.
  latest constant timestamptz := now() + coalesce((select max(p.clock_offset) from paywalls p where p.clock_offset > '0'), '0');
  due grants[];
  each grants;
  queued integer := 0;
begin
  due := array(
    select g from grants g
      join members m on m.paywall_id = g.paywall_id and m.user_id = g.user_id
      join paywalls p on p.id = g.paywall_id
    where g.ended_at is null and g.ends_at <= latest and g.ends_at <= now() + p.clock_offset
    order by g.ends_at limit count
    for no key update of m skip locked for no key update of g skip locked);
  foreach each in array due loop
    queued := queued + record_grant_end(each, each.ends_at);
  end loop;
  return jsonb_build_object('ended', cardinality(due), 'queued', queued);
end $$;
