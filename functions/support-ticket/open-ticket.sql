-- Opens a ticket, counts it in the sender's quota and emits its event, all or nothing (contract section 4.6). `attachments` are
-- [{object_key, file_name, media_type, size}], whose objects are in R2 already. Tickets of anonymous senders are also counted for their
-- network: see guest-limits.sql.
--
-- Locks the user's member, which is created if the user is not a member yet, then the quota's row, and an anonymous sender's rate limits. Tickets
-- of one user are therefore serialised, and so are those of guests with one address: concurrent calls cannot exceed the quota. A refused
-- ticket is not counted.
create function open_ticket(
  paywall_id text, host text, subject text, content text, attachments jsonb,
  token_user_id uuid default null, token_audience text default null, token_session_id uuid default null,
  guest_email text default null, network text default null
) returns jsonb language plpgsql security definer as $$
declare
  sender record;
  wait integer;
  ticket tickets;
  queued integer;
begin
  sender := find_sender(paywall_id, host, token_user_id, token_audience, token_session_id, guest_email);
  if sender.refusal is null and token_user_id is not null then
    sender.refusal := lock_sender(paywall_id, token_user_id);
    sender.email := (select u.email from users u where u.id = token_user_id); -- may have been erased while this call waited
  end if;
  if sender.refusal is not null then return verdict(sender.refusal); end if;

  wait := count_ticket(paywall_id, sender.quota);
  if wait is not null then return verdict('over_quota') || jsonb_build_object('wait', wait); end if;
  if sender.is_anonymous_sender then
    wait := consume_guest_ticket(network);
    if wait is not null then
      perform uncount_ticket(paywall_id, sender.quota);
      return verdict('over_guest_tickets') || jsonb_build_object('wait', wait);
    end if;
  end if;
  if not sender.has_bought then wait := consume_images(paywall_id, sender.is_anonymous_sender, network, attachments); end if;
  if wait is not null then
    perform uncount_ticket(paywall_id, sender.quota);
    if sender.is_anonymous_sender then perform refund('guest_tickets', 'network:' || network, 1); end if;
    return verdict('over_image_limit') || jsonb_build_object('wait', wait);
  end if;

  insert into tickets as t (paywall_id, user_id, customer_email, subject, content, created_at)
  values (paywall_id, token_user_id, sender.email, subject, content, paywall_now(paywall_id)) returning t.* into ticket;
  insert into ticket_attachments (ticket_id, object_key, file_name, media_type, size)
  select ticket.id, file.* from jsonb_to_recordset(attachments)
    as file (object_key text, file_name text, media_type text, size int);

  queued := case when token_user_id is null
    then emit_guest_event(sender.owner_id, paywall_id, sender.email, 'ticket.created', ticket_json(ticket))
    else emit_event(sender.owner_id, paywall_id, token_user_id, 'ticket.created', ticket_json(ticket)) end;
  return verdict('opened') || jsonb_build_object(
    'ticket', jsonb_build_object('id', ticket.id, 'status', ticket.status), 'queued', queued);
end $$;

-- Locks the user's member, which is created if it is new. Null, or `unknown_user` if the user was merged meanwhile.
create function lock_sender(paywall_id text, user_id uuid) returns text language plpgsql as $$
declare
  member members;
begin
  if not ensure_member(paywall_id, user_id) then return 'unknown_user'; end if;
  select * into member from members m
  where m.paywall_id = lock_sender.paywall_id and m.user_id = lock_sender.user_id for no key update;
  return case when member.merged_into is not null then 'unknown_user' end;
end $$;

-- Counts one more ticket in a quota's row, which is created if it is new, and locked. Null, or the seconds to wait if the quota has no
-- room.
create function count_ticket(paywall_id text, who text) returns integer language plpgsql as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  earlier timestamptz[];
  wait integer;
begin
  insert into ticket_quotas as q (paywall_id, who, opened) values (paywall_id, who, '{}')
  on conflict on constraint ticket_quotas_pkey do update set opened = q.opened -- a no-op that locks the row
  returning q.opened into earlier;
  wait := quota_wait(earlier, present);
  if wait is not null then return wait; end if;
  update ticket_quotas q set opened = counted_tickets(earlier, present) || present
  where q.paywall_id = count_ticket.paywall_id and q.who = count_ticket.who;
  return null;
end $$;

-- Removes the ticket that was just counted from the quota.
create function uncount_ticket(paywall_id text, who text) returns void language plpgsql as $$
begin
  delete from ticket_quotas q
  where q.paywall_id = uncount_ticket.paywall_id and q.who = uncount_ticket.who and cardinality(q.opened) = 1;
  update ticket_quotas q set opened = trim_array(q.opened, 1)
  where q.paywall_id = uncount_ticket.paywall_id and q.who = uncount_ticket.who;
end $$;

-- The whole ticket as the owner's event shows it, its text included.
create function ticket_json(ticket tickets) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', ticket.id, 'status', ticket.status, 'subject', ticket.subject, 'content', ticket.content,
      'customer_email', ticket.customer_email,
      'attachments', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'key', a.object_key, 'file_name', a.file_name, 'media_type', a.media_type, 'size', a.size) order by a.object_key), '[]')
        from ticket_attachments a where a.ticket_id = ticket.id),
      'created_at', iso(ticket.created_at)));
end $$;
