-- The gate of the console: who is signed in, and whether the role permits what is requested. Returns `refusal`, null if it is permitted.
create function open_console(
  session_hash text, permission text, out refusal text, out owner_id uuid, out email text, out role text
) language plpgsql stable as $$
declare
  member constant record := team_member(session_hash);
begin
  refusal := case
    when member.role is null then 'signed_out'
    when not permission = any (permissions_of(member.role)) then 'not_permitted' end;
  owner_id := member.owner_id;
  email := member.email;
  role := member.role;
end $$;

-- The gate of an act. `unconfirmed`: it moves money, ends access or shows a secret, which a stolen session alone cannot do, and the session
-- has entered no code a short time before.
create function open_console_act(
  session_hash text, act text, out refusal text, out owner_id uuid, out email text, out role text
) language plpgsql stable as $$
begin
  select * into refusal, owner_id, email, role from open_console(session_hash, act);
  if refusal is null and act = any (acts_to_confirm()) and not (team_member(session_hash)).is_confirmed then refusal := 'unconfirmed'; end if;
end $$;

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
