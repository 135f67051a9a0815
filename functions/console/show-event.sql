-- An event with its body, its deliveries and their attempts. Verdicts: `found`; `unknown_event`.
create function show_event(session_hash text, is_test boolean, event_id text) returns jsonb language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_events');
  shown events;
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  select * into shown from events e
  where e.id = show_event.event_id and e.owner_id = gate.owner_id and e.is_test = show_event.is_test;
  if shown.id is null then return verdict('unknown_event'); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role)
    || jsonb_build_object('event', listed_event_json(shown) || jsonb_build_object(
      'body', shown.body, 'is_redacted', shown.purge_at is null, 'attempts', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'url', w.url, 'at', iso(a.attempted_at), 'milliseconds', a.milliseconds, 'status', a.status, 'error', a.error,
          'response', a.response) order by a.attempted_at desc), '[]')
        from delivery_attempts a join webhook_endpoints w on w.id = a.endpoint_id
        where a.owner_id = shown.owner_id and a.event_id = shown.id)));
end $$;
