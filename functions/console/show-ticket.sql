-- A ticket with its text, the names of its images, and the replies to it. Verdicts: `found`; `unknown_ticket`.
create function show_ticket(session_hash text, is_test boolean, ticket_id text) returns jsonb language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_tickets');
  shown tickets;
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  shown := find_ticket(gate.owner_id, is_test, ticket_id);
  if shown.id is null then return verdict('unknown_ticket'); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role) || jsonb_build_object(
    'ticket', listed_ticket_json(shown) || jsonb_build_object('content', shown.content, 'images', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'key', a.object_key, 'name', a.file_name, 'media_type', a.media_type, 'size', a.size) order by a.object_key), '[]')
      from ticket_attachments a where a.ticket_id = shown.id),
    'replies', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'email', r.email, 'content', r.content, 'created_at', iso(r.created_at), 'sent_at', iso(r.sent_at)) order by r.created_at, r.id), '[]')
      from ticket_replies r where (r.owner_id, r.ticket_id) = (gate.owner_id, shown.id))));
end $$;

-- An owner's ticket of one mode; all null if there is none with this id.
create function find_ticket(owner_id uuid, is_test boolean, ticket_id text) returns tickets language plpgsql stable as $$
begin
  return (
    select t from tickets t join paywalls p on p.id = t.paywall_id
    where t.id = case when ticket_id ~ '^[0-9]{1,18}$' then ticket_id::bigint end
      and p.owner_id = find_ticket.owner_id and p.is_test = find_ticket.is_test);
end $$;
