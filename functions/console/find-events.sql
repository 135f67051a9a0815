-- An owner's events of one mode, newest first: up to `count` of those before `before`, an event's id. `type`, `paywall_id` and `user_id`
-- select some; so does `state`, which is that of a delivery. Unless a user is named, a call reads a limited number of events; `next` is the
-- `before` of the call that continues where it ended, null at the end. Who may read them is decided by the caller.
create function find_events(
  owner_id uuid, is_test boolean, type text, paywall_id text, user_id uuid, state text, before text, count integer
) returns jsonb language plpgsql stable
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  most constant integer := 5000;
  last events;
  found events[];
  last_read text; -- the id of the last event that was read, if there may be more
begin
  select * into last from events e
  where e.owner_id = find_events.owner_id and e.is_test = find_events.is_test and e.id = before;
  last.created_at := coalesce(last.created_at, 'infinity');
  last.id := coalesce(last.id, '');
  if user_id is null then
    found := array(
      select e from (
        select * from events e
        where e.owner_id = find_events.owner_id and e.is_test = find_events.is_test and (e.created_at, e.id) < (last.created_at, last.id)
        order by e.created_at desc, e.id desc limit most) e
      where (find_events.type is null or e.type = find_events.type)
        and (find_events.paywall_id is null or e.paywall_id = find_events.paywall_id)
        and (find_events.state is null or exists (
          select from deliveries d where d.event_id = e.id and d.state = find_events.state))
      order by e.created_at desc, e.id desc limit count);
    last_read := (
      select e.id from events e
      where cardinality(found) < count
        and e.owner_id = find_events.owner_id and e.is_test = find_events.is_test and (e.created_at, e.id) < (last.created_at, last.id)
      order by e.created_at desc, e.id desc offset most - 1 limit 1);
  else
    found := array(
      select e from events e
      where e.user_id = find_events.user_id and e.paywall_id in (
          select p.id from paywalls p where p.owner_id = find_events.owner_id and p.is_test = find_events.is_test)
        and (e.created_at, e.id) < (last.created_at, last.id)
        and (find_events.type is null or e.type = find_events.type)
        and (find_events.paywall_id is null or e.paywall_id = find_events.paywall_id)
        and (find_events.state is null or exists (
          select from deliveries d where d.event_id = e.id and d.state = find_events.state))
      order by e.created_at desc, e.id desc limit count);
  end if;
  return jsonb_build_object(
    'events', (select coalesce(jsonb_agg(listed_event_json(e) order by e.created_at desc, e.id desc), '[]') from unnest(found) e),
    'next', case when cardinality(found) = count then found[count].id else last_read end);
end $$;

create function listed_event_json(e events) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'id', e.id, 'type', e.type, 'paywall_id', e.paywall_id, 'created_at', iso(e.created_at), 'deliveries', deliveries_json(e.id),
    'user', (select jsonb_build_object('id', u.id, 'email', u.email, 'external_id', u.external_id) from users u where u.id = e.user_id));
end $$;

-- An event's deliveries, one per webhook endpoint.
create function deliveries_json(event_id text) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'endpoint_id', d.endpoint_id, 'url', w.url, 'state', d.state, 'attempts', d.attempts, 'last_status', d.last_status,
      'last_error', d.last_error, 'next_attempt_at', iso(d.next_attempt_at), 'finished_at', iso(d.finished_at)) order by w.url), '[]')
    from deliveries d join webhook_endpoints w on w.id = d.endpoint_id where d.event_id = deliveries_json.event_id);
end $$;

-- An event with its body, its deliveries and their attempts; null if the owner has no such event of that mode.
create function event_details_json(owner_id uuid, is_test boolean, event_id text) returns jsonb language plpgsql stable as $$
declare
  shown events;
begin
  select * into shown from events e
  where e.id = event_details_json.event_id and e.owner_id = event_details_json.owner_id and e.is_test = event_details_json.is_test;
  if not found then return null; end if;
  return listed_event_json(shown) || jsonb_build_object(
    'body', shown.body, 'is_redacted', shown.purge_at is null, 'attempts', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'url', w.url, 'at', iso(a.attempted_at), 'milliseconds', a.milliseconds, 'status', a.status, 'error', a.error,
        'response', a.response) order by a.attempted_at desc), '[]')
      from delivery_attempts a join webhook_endpoints w on w.id = a.endpoint_id
      where a.owner_id = shown.owner_id and a.event_id = shown.id));
end $$;
