-- An event with its body, its deliveries and their attempts. Verdicts: `found`; `unknown_event`.
create function show_event(session_hash text, is_test boolean, event_id text) returns jsonb language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_events');
  event constant jsonb := event_details_json(gate.owner_id, is_test, event_id);
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  if event is null then return verdict('unknown_event'); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role) || jsonb_build_object('event', event);
end $$;
