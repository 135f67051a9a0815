-- Lists the events of one mode, newest first, a page at a time: see find-events.sql.
create function browse_events(
  session_hash text, is_test boolean, type text default null, paywall_id text default null, state text default null,
  before text default null
) returns jsonb language plpgsql stable security definer as $$
declare
  page_size constant integer := 50;
  gate constant record := open_console(session_hash, 'read_events');
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role)
    || find_events(gate.owner_id, is_test, type, paywall_id, null, state, before, page_size)
    || jsonb_build_object('paywalls', (
      select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name) order by p.id), '[]')
      from paywalls p where p.owner_id = gate.owner_id and p.is_test = browse_events.is_test));
end $$;
