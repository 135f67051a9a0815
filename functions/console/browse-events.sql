-- Lists the events of one mode, newest first, a page at a time: those before `before`, an event's id. `type` and `paywall_id` select some;
-- so does `state`, which is that of a delivery: `failed` or `pending`. A call reads a limited number of events; `next` is the `before` of
-- the call that continues where it ended, null at the end.
create function browse_events(
  session_hash text, is_test boolean, type text default null, paywall_id text default null, state text default null,
  before text default null
) returns jsonb language plpgsql stable security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  page_size constant integer := 50;
  most constant integer := 5000;
  gate constant record := open_console(session_hash, 'read_events');
  last events;
  scanned events[];
  found events[];
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  select * into last from events e
  where e.owner_id = gate.owner_id and e.is_test = browse_events.is_test and e.id = before;
  scanned := array(
    select e from events e
    where e.owner_id = gate.owner_id and e.is_test = browse_events.is_test
      and (e.created_at, e.id) < (coalesce(last.created_at, 'infinity'), coalesce(last.id, ''))
    order by e.created_at desc, e.id desc
    limit case when coalesce(browse_events.type, browse_events.paywall_id, browse_events.state) is null then page_size else most end);
  found := array(
    select e from unnest(scanned) e
    where (browse_events.type is null or e.type = browse_events.type)
      and (browse_events.paywall_id is null or e.paywall_id = browse_events.paywall_id)
      and (browse_events.state is null or exists (
        select from deliveries d where d.event_id = e.id and d.state = browse_events.state))
    order by e.created_at desc, e.id desc limit page_size);
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role) || jsonb_build_object(
    'events', (select coalesce(jsonb_agg(listed_event_json(e) order by e.created_at desc, e.id desc), '[]') from unnest(found) e),
    'next', case
      when cardinality(found) = page_size then found[page_size].id
      when cardinality(scanned) = most then scanned[most].id end,
    'paywalls', (
      select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name) order by p.id), '[]')
      from paywalls p where p.owner_id = gate.owner_id and p.is_test = browse_events.is_test));
end $$;

create function listed_event_json(e events) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'id', e.id, 'type', e.type, 'paywall_id', e.paywall_id, 'created_at', iso(e.created_at), 'deliveries', deliveries_json(e.id),
    'user', (select jsonb_build_object('id', u.id, 'email', u.email, 'external_id', u.external_id) from users u where u.id = e.user_id));
end $$;
