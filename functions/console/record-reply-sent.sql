-- Records that a reply was mailed, and closes its ticket if `closes`.
create function record_reply_sent(session_hash text, is_test boolean, ticket_id text, reply_id uuid, closes boolean) returns jsonb
language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'reply_to_ticket');
  ticket tickets;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  ticket := find_ticket(gate.owner_id, is_test, ticket_id);
  if ticket.id is null then return verdict('unknown_ticket'); end if;
  update ticket_replies r set sent_at = now()
  where (r.owner_id, r.ticket_id, r.id) = (gate.owner_id, ticket.id, reply_id) and r.sent_at is null;
  if closes then update tickets t set status = 'closed' where t.id = ticket.id; end if;
  return verdict('done');
end $$;
