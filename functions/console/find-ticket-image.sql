-- The media type of a ticket's image, by its name in R2. Verdicts: `found`; `unknown_image`.
create function find_ticket_image(session_hash text, is_test boolean, ticket_id text, object_key text) returns jsonb
language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_tickets');
  media_type text;
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  media_type := (
    select a.media_type from ticket_attachments a
    where a.object_key = find_ticket_image.object_key and a.ticket_id = (find_ticket(gate.owner_id, is_test, find_ticket_image.ticket_id)).id);
  if media_type is null then return verdict('unknown_image'); end if;
  return verdict('found') || jsonb_build_object('media_type', media_type);
end $$;
