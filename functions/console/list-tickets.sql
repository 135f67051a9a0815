-- Lists the support tickets of one mode, newest first, a page at a time: those before `before`, a ticket's id.
create function list_tickets(session_hash text, is_test boolean, before text default null) returns jsonb
language plpgsql stable security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  page_size constant integer := 50;
  gate constant record := open_console(session_hash, 'read_tickets');
  below constant bigint := case when before ~ '^[0-9]{1,18}$' then before::bigint else 9223372036854775807 end;
  listed jsonb;
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  listed := (
    select coalesce(jsonb_agg(listed_ticket_json(latest) order by latest.id desc), '[]')
    from (
      select t.* from paywalls p cross join lateral (
        select * from tickets t where t.paywall_id = p.id and t.id < below order by t.id desc limit page_size + 1) t
      where p.owner_id = gate.owner_id and p.is_test = list_tickets.is_test
      order by t.id desc limit page_size + 1) latest);
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role)
    || jsonb_build_object('tickets', listed - page_size, 'has_more', jsonb_array_length(listed) > page_size);
end $$;

create function listed_ticket_json(t tickets) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'id', t.id, 'paywall_id', t.paywall_id, 'user_id', t.user_id, 'email', t.customer_email, 'subject', t.subject, 'status', t.status,
    'created_at', iso(t.created_at))
$$;
