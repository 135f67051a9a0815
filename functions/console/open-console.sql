-- The gate of the console: who is signed in, and whether the role permits what is requested. Returns `refusal`, null if it is permitted.
create function open_console(
  session_hash text, permission text, out refusal text, out owner_id uuid, out email text, out role text
) language plpgsql stable as $$
declare
  session console_sessions;
begin
  select * into session from console_sessions s where s.token_hash = session_hash and s.expires_at > now();
  owner_id := session.owner_id;
  email := session.email;
  role := team_role(session.owner_id, session.email);
  refusal := case
    when role is null then 'signed_out'
    when not permission = any (permissions_of(role)) then 'not_permitted' end;
end $$;

-- The gate of an act. `unconfirmed`: it moves money, ends access or shows a secret, which a stolen session alone cannot do, and the session
-- has entered no code a short time before.
create function open_console_act(
  session_hash text, act text, out refusal text, out owner_id uuid, out email text, out role text
) language plpgsql stable as $$
begin
  select * into refusal, owner_id, email, role from open_console(session_hash, act);
  if refusal is null and act = any (acts_to_confirm()) and exists (
    select from console_sessions s where s.token_hash = session_hash and s.confirmed_until <= now()
  ) then
    refusal := 'unconfirmed';
  end if;
end $$;

-- The acts that move money, end access or show a secret.
create function acts_to_confirm() returns text[] language sql immutable as $$
  select array[
    'change_tokens', 'refund', 'cancel_subscription', 'end_purchase', 'end_access', 'merge_users', 'disable_webhook',
    'rotate_webhook', 'revoke_key']
$$;

-- The role of an address in an owner's team; null if it is not in the team. The owner is an admin.
create function team_role(owner_id uuid, email text) returns text language plpgsql stable as $$
begin
  return (
    select 'admin' from owners o where o.id = team_role.owner_id and o.email = team_role.email
    union all
    select t.role from team_members t where t.owner_id = team_role.owner_id and t.email = team_role.email
    limit 1);
end $$;

-- What a role permits: reading a kind of page, or an act.
create function permissions_of(role text) returns text[] language sql immutable as $$
  select case role
    when 'admin' then array[
      'read_figures', 'read_users', 'read_events', 'read_tickets', 'read_webhooks', 'read_keys', 'read_audit_log',
      'sign_out_user', 'give_access', 'end_access', 'change_tokens', 'refund', 'cancel_subscription', 'end_purchase', 'merge_users',
      'replay_events', 'enable_webhook', 'disable_webhook', 'ping_webhook', 'rotate_webhook', 'reply_to_ticket', 'close_ticket', 'revoke_key']
    when 'support' then array[
      'read_users', 'read_events', 'read_tickets', 'sign_out_user', 'replay_events', 'reply_to_ticket', 'close_ticket']
    when 'viewer' then array[
      'read_figures', 'read_users', 'read_events', 'read_tickets', 'read_webhooks', 'read_keys', 'read_audit_log'] end
$$;

-- What every page of the console shows: who is signed in, what that person may do, and the other owners whose team the person is in.
create function viewer_json(owner_id uuid, email text, role text) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object('viewer', jsonb_build_object(
      'email', viewer_json.email, 'role', viewer_json.role, 'permissions', permissions_of(viewer_json.role),
      'owner', jsonb_build_object('id', o.id, 'email', o.email),
      'others', (
        select coalesce(jsonb_agg(jsonb_build_object('id', other.id, 'email', other.email) order by other.email), '[]')
        from owners other
        where other.id <> o.id and other.id in (
          select t.owner_id from team_members t where t.email = viewer_json.email
          union select own.id from owners own where own.email = viewer_json.email))))
    from owners o where o.id = viewer_json.owner_id);
end $$;

-- Writes down an act. `reason`: why, in the words of whoever did it.
create function record_act(
  owner_id uuid, email text, role text, act text, is_test boolean, subject text, user_id uuid default null, reason text default null
) returns void language plpgsql as $$
begin
  insert into audit_log (owner_id, email, role, act, is_test, subject, user_id, reason)
  values (owner_id, email, role, act, is_test, subject, user_id, reason);
end $$;
