-- Deletes pending notices, and pending events whose purchase, read at `read_at`, is not ours. An event that was received again after that
-- read stays. Unlike applied events, these are not remembered. Locks their rows.
create function drop_events(paywall_id text, acquiring text, event_ids jsonb, read_at timestamptz) returns jsonb
language plpgsql security definer as $$
declare
  event_id text;
begin
  for event_id in select jsonb_array_elements_text(event_ids) loop
    perform remove_pending_event(paywall_id, acquiring, event_id, read_at);
  end loop;
  return to_jsonb(jsonb_array_length(event_ids));
end $$;
