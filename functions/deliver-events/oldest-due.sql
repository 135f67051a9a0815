-- How long, in seconds, the oldest due delivery at an enabled webhook endpoint has been due; null if none is due. A delivery whose attempt
-- is in flight counts, too. Scans the thousand webhook endpoints after `after`. `cursor` is where to continue; null at the end.
create function oldest_due(after uuid default null) returns jsonb language plpgsql stable security definer
set enable_seqscan = off as $$
declare
  steps constant integer := 1000;
  oldest timestamptz;
  cursor uuid;
begin
  select min(e.due_since), (array_agg(e.id) filter (where e.is_last_step))[1] into oldest, cursor
  from scan_pending_endpoints(coalesce(after, min_uuid()), max_uuid(), steps) e;
  return jsonb_build_object('seconds', extract(epoch from now() - oldest)::double precision, 'cursor', cursor);
end $$;
