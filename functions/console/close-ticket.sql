-- Closes a ticket. Verdicts: `done`; `unknown_ticket`.
create function close_ticket(session_hash text, is_test boolean, ticket_id text) returns jsonb language plpgsql security definer as $$
declare
  gate constant record := open_console_act(session_hash, 'close_ticket');
  subject tickets;
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  subject := find_ticket(gate.owner_id, is_test, ticket_id);
  if subject.id is null then return verdict('unknown_ticket'); end if;
  update tickets t set status = 'closed' where t.id = subject.id and t.status <> 'closed';
  if found then
    perform record_act(gate.owner_id, gate.email, gate.role, 'close_ticket', is_test, subject.id::text, subject.user_id);
  end if;
  return verdict('done');
end $$;
