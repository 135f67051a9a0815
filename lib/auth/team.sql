-- The members of an owner's team, their sessions, and what they may do: in the console, and at the endpoints that it calls for them.

-- Whose session it is, and the role in the team as it is now; null without one. `is_confirmed`: a code was entered a short time before.
create function team_member(
  session_hash text, out owner_id uuid, out email text, out role text, out is_confirmed boolean
) language plpgsql stable as $$
begin
  select s.owner_id, s.email, team_role(s.owner_id, s.email), s.confirmed_until > now() into owner_id, email, role, is_confirmed
  from console_sessions s where s.token_hash = session_hash and s.expires_at > now();
end $$;

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

-- The acts that move money, end access or show a secret.
create function acts_to_confirm() returns text[] language sql immutable as $$
  select array[
    'change_tokens', 'refund', 'cancel_subscription', 'end_purchase', 'end_access', 'merge_users', 'disable_webhook',
    'rotate_webhook', 'revoke_key']
$$;

-- The gate of an act that a member of the team does at an endpoint: the console calls it with the session in place of an owner key. Called
-- once open_owner_gate has found no such key. If the session does not permit the act, it is an unknown key.
create function open_team_gate(
  session_hash text, paywall_id text, host text, act text, out refusal text, out owner_id uuid, out is_test boolean, out settings jsonb
) language plpgsql stable as $$
declare
  paywall constant record := find_paywall(paywall_id, host);
  member constant record := team_member(session_hash);
  is_permitted constant boolean :=
    act = any (permissions_of(member.role)) and (member.is_confirmed or not act = any (acts_to_confirm()));
begin
  refusal := case
    when is_permitted is not true then 'unknown_key'
    when paywall.id is null then 'unknown_paywall'
    when paywall.owner_id <> member.owner_id then 'not_owner' end;
  owner_id := paywall.owner_id;
  is_test := paywall.is_test;
  settings := paywall.settings;
end $$;

-- Writes down an act. `reason`: why, in the words of whoever did it.
create function record_act(
  owner_id uuid, email text, role text, act text, is_test boolean, subject text, user_id uuid default null, reason text default null
) returns void language plpgsql as $$
begin
  insert into audit_log (owner_id, email, role, act, is_test, subject, user_id, reason)
  values (owner_id, email, role, act, is_test, subject, user_id, reason);
end $$;

-- Writes down an act at an endpoint, if a member of the team calls it. Nothing is written down about an owner key.
create function record_team_act(
  session_hash text, act text, is_test boolean, subject text, user_id uuid, reason text
) returns void language plpgsql as $$
declare
  member constant record := team_member(session_hash);
begin
  if member.role is not null then
    perform record_act(member.owner_id, member.email, member.role, act, is_test, subject, user_id, reason);
  end if;
end $$;
