-- Deletes anonymous users who have nothing and will not return, with all their data: up to `count` users, and up to a thousand rows of each
-- other table, per call. A user with more rows is finished by a later call. Returns the number of rows handled.
--
-- Locks each user and then its members: a call that waits for one of these finds it deleted. Locked rows are in use and skipped, so this
-- waits for nobody.
create function purge_users(count integer) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a plan cached while a table was empty must not scan all of it later
as $$
declare
  ids uuid[];
  decided bigint;
begin
  ids := array(
    select u.id from users u where u.purge_at <= now() order by u.purge_at limit count for update skip locked);
  with locked as (
    select m.paywall_id, m.user_id from members m where m.user_id = any (ids) for update skip locked
  )
  select array(
    select id from unnest(ids) id
    where not exists (
      select from members m where m.user_id = id and (m.paywall_id, m.user_id) not in (select * from locked))) into ids;

  update users u
  set purge_at = case when not has_data(u) then kept_until(u) end
  where u.id = any (ids) and (has_data(u) or kept_until(u) is not null);
  get diagnostics decided = row_count;
  ids := array(select u.id from users u where u.id = any (ids) and u.purge_at <= now());
  return to_jsonb(decided + delete_users(ids));
end $$;

-- Whether a user must be kept for ever: it has an address, an external id, a purchase, a grant, a ticket, credited tokens, or another user
-- was merged into it, since an owner may still know that one by its old id.
create function has_data(u users) returns boolean language plpgsql stable as $$
begin
  return u.email is not null or u.external_id is not null
    or exists (select from tickets t where t.user_id = u.id)
    or exists (select from members m where m.merged_into = u.id)
    or exists (
      select from members m
      where m.user_id = u.id and (
        m.merged_into is not null
        or exists (select from purchases p where p.paywall_id = m.paywall_id and p.user_id = m.user_id)
        or exists (select from grants g where g.paywall_id = m.paywall_id and g.user_id = m.user_id)
        or exists (
          select from ledger l
          where l.paywall_id = m.paywall_id and l.user_id = m.user_id and l.delta > 0 and l.reason <> 'top_up')));
end $$;

-- Until when a user may return, or its open pages and events may matter; null if neither. A session's row is kept until an hour after its
-- end, longer than any of its access tokens is valid. A page may be paid while its checkout is kept. Undelivered events are checked again a
-- day later. Events are kept a day longer than they are listed, so that a call that lists them never waits for one that deletes them.
create function kept_until(u users) returns timestamptz language plpgsql stable as $$
declare
  extra constant interval := '1 day';
  latest timestamptz;
begin
  select max(greatest(
    (select max(s.expires_at) + interval '2 hours' from sign_in_sessions s
     where s.paywall_id = m.paywall_id and s.user_id = m.user_id),
    (select max(c.purge_at) from checkouts c
     where c.paywall_id = m.paywall_id and c.user_id = m.user_id and c.purge_at > now()),
    (select now() + interval '1 day' from events e join deliveries d on d.event_id = e.id
     where e.paywall_id = m.paywall_id and e.user_id = m.user_id and d.state = 'pending' limit 1),
    (select max(listed_until(e)) + extra from events e
     where e.paywall_id = m.paywall_id and e.user_id = m.user_id and listed_until(e) + extra > now()))) into latest
  from members m where m.user_id = u.id;
  return case when latest is not null then greatest(latest, now() + interval '1 hour') end;
end $$;
