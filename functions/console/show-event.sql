-- An event with its body and its deliveries. Verdicts: `found`; `unknown_event`.
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
    || jsonb_build_object('event', listed_event_json(shown) || jsonb_build_object('body', shown.body, 'is_redacted', shown.purge_at is null));
end $$;
