-- Lists the users of one mode, newest first, a page at a time: those before `before`, a user's id. `search` finds a user by its e-mail
-- address, its external id, our id of the user, of a purchase or of a checkout, or the processor's id of a purchase; a merged user's id
-- finds the user that has everything now.
create function search_users(
  session_hash text, is_test boolean, search text default null, before text default null
) returns jsonb language plpgsql stable security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  page_size constant integer := 50;
  gate constant record := open_console(session_hash, 'read_users');
  last users;
  listed jsonb;
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  if search is not null then
    return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role)
      || jsonb_build_object('users', found_users_json(gate.owner_id, search_users.is_test, search), 'has_more', false);
  end if;

  select * into last from users u
  where u.owner_id = gate.owner_id and u.is_test = search_users.is_test and u.id = as_uuid(before);
  listed := (
    select coalesce(jsonb_agg(listed_user_json(u) order by u.created_at desc, u.id desc), '[]')
    from (
      select * from users u
      where u.owner_id = gate.owner_id and u.is_test = search_users.is_test
        and (u.created_at, u.id) < (coalesce(last.created_at, 'infinity'), coalesce(last.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by u.created_at desc, u.id desc limit page_size + 1) u);
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role)
    || jsonb_build_object('users', listed - page_size, 'has_more', jsonb_array_length(listed) > page_size);
end $$;

-- The users that a text finds, newest first: see search_users.
create function found_users_json(owner_id uuid, is_test boolean, search text) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(listed_user_json(u) order by u.created_at desc, u.id desc), '[]')
    from users u
    where u.id in (select * from find_users(found_users_json.owner_id, found_users_json.is_test, search)));
end $$;

create function find_users(owner_id uuid, is_test boolean, search text) returns setof uuid language plpgsql stable as $$
begin
  return query
    select remaining_user(u.id) from users u
    where u.owner_id = find_users.owner_id and u.is_test = find_users.is_test
      and (u.email = lower(search) or u.external_id = search or u.id = as_uuid(search))
    union
    select p.user_id
    from paywalls w
    join processor_accounts a on a.paywall_id = w.id
    join purchases p on (p.paywall_id, p.acquiring) = (w.id, a.acquiring)
    where w.owner_id = find_users.owner_id and w.is_test = find_users.is_test and p.processor_id = search
    union
    select p.user_id from purchases p join paywalls w on w.id = p.paywall_id
    where w.owner_id = find_users.owner_id and w.is_test = find_users.is_test and p.id = as_uuid(search)
    union
    select c.user_id from checkouts c join paywalls w on w.id = c.paywall_id
    where w.owner_id = find_users.owner_id and w.is_test = find_users.is_test and c.id = as_uuid(search);
end $$;

-- A user as a line of the list.
create function listed_user_json(u users) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'id', u.id, 'email', u.email, 'external_id', u.external_id, 'created_at', iso(u.created_at),
    'is_erased', u.erased_at is not null, 'names', array(
      select distinct m.name from members m where m.user_id = u.id and m.name is not null order by m.name),
    'is_merged', is_merged(u.id),
    'has_access', exists (
      select from members m join purchases p on (p.paywall_id, p.user_id) = (m.paywall_id, m.user_id)
      where m.user_id = u.id and gives_access(p, paywall_now(p.paywall_id))
    ) or exists (
      select from members m join grants g on (g.paywall_id, g.user_id) = (m.paywall_id, m.user_id)
      where m.user_id = u.id and grants_access(g, paywall_now(g.paywall_id))),
    'purchases', (
      select count(*) from members m join purchases p on (p.paywall_id, p.user_id) = (m.paywall_id, m.user_id) where m.user_id = u.id));
end $$;
