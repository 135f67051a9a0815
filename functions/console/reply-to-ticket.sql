-- Stores a reply to a ticket, before it is mailed. `reply_id` makes a form that is sent twice count once. Verdicts: `stored`, with the mail's
-- parts; `sent`: it was mailed before; `unknown_ticket`; `no_address`: an anonymous user has none.
create function reply_to_ticket(session_hash text, is_test boolean, ticket_id text, reply_id uuid, content text) returns jsonb
language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'reply_to_ticket');
  ticket tickets;
  address text;
  reply ticket_replies;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  ticket := find_ticket(gate.owner_id, is_test, ticket_id);
  if ticket.id is null then return verdict('unknown_ticket'); end if;
  address := coalesce(ticket.customer_email, (select u.email from users u where u.id = ticket.user_id));
  if address is null then return verdict('no_address'); end if;

  insert into ticket_replies as r (owner_id, ticket_id, id, email, content)
  values (gate.owner_id, ticket.id, reply_id, gate.email, content)
  on conflict on constraint ticket_replies_pkey do nothing
  returning r.* into reply;
  if found then
    perform record_act(gate.owner_id, gate.email, gate.role, 'reply_to_ticket', is_test, ticket.id::text, ticket.user_id);
  else
    select * into reply from ticket_replies r where (r.owner_id, r.ticket_id, r.id) = (gate.owner_id, ticket.id, reply_id);
    if reply.sent_at is not null then return verdict('sent'); end if;
  end if;
  return verdict('stored') || jsonb_build_object(
    'to', address, 'subject', ticket.subject, 'content', reply.content, 'ticket', ticket.content,
    'paywall', (select p.name from paywalls p where p.id = ticket.paywall_id),
    'reply_to', (select o.email from owners o where o.id = gate.owner_id));
end $$;
