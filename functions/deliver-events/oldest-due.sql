-- For how many seconds the oldest due delivery has been due, at webhook endpoints that are enabled; null if none is due. One
-- whose attempt is under way counts, too. It looks at a thousand webhook endpoints, those behind `after`. `cursor` is where
-- to go on; null at the end.
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
