-- Sends events again: see requeue-events.sql.
create function replay_events(
  session_hash text, is_test boolean, event_id text default null, endpoint_id text default null,
  since text default null, until text default null, failed_only boolean default false, reason text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'replay_events');
  result jsonb;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  result := requeue_events(gate.owner_id, is_test, event_id, endpoint_id, since, until, failed_only);
  if result ->> 'verdict' <> 'done' then return result; end if;
  perform record_act(gate.owner_id, gate.email, gate.role, 'replay_events', is_test, coalesce(event_id, endpoint_id),
    (select e.user_id from events e where e.id = event_id), reason);
  return result;
end $$;
