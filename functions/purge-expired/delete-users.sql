-- Deletes users with all their data. From each table that may have many rows per user it deletes at most a thousand; a user with more is
-- left for a later call, minus the deleted rows. Returns the number of deleted rows. The users' rows and those of their members must be
-- locked, and the users must have nothing that has to be kept: see has_data.
create function delete_users(ids uuid[]) returns bigint language plpgsql as $$
declare
  batch_size constant integer := 1000;
  deleted bigint;
  in_all bigint := 0;
begin
  delete from ledger where ctid = any (array(
    select l.ctid from members m join ledger l on l.paywall_id = m.paywall_id and l.user_id = m.user_id
    where m.user_id = any (ids) limit batch_size));
  get diagnostics deleted = row_count;
  in_all := in_all + deleted;

  delete from delivery_attempts where ctid = any (array(
    select a.ctid from members m
      join events e on e.paywall_id = m.paywall_id and e.user_id = m.user_id
      join delivery_attempts a on a.owner_id = e.owner_id and a.event_id = e.id
    where m.user_id = any (ids) limit batch_size));
  get diagnostics deleted = row_count;
  in_all := in_all + deleted;

  delete from deliveries where ctid = any (array(
    select d.ctid from members m
      join events e on e.paywall_id = m.paywall_id and e.user_id = m.user_id
      join deliveries d on d.event_id = e.id
    where m.user_id = any (ids) limit batch_size));
  get diagnostics deleted = row_count;
  in_all := in_all + deleted;

  delete from events where ctid = any (array(
    select e.ctid from members m join events e on e.paywall_id = m.paywall_id and e.user_id = m.user_id
    where m.user_id = any (ids) and not exists (select from deliveries d where d.event_id = e.id)
      and not exists (select from delivery_attempts a where a.owner_id = e.owner_id and a.event_id = e.id) limit batch_size));
  get diagnostics deleted = row_count;
  in_all := in_all + deleted;

  delete from checkouts where ctid = any (array(
    select c.ctid from members m join checkouts c on c.paywall_id = m.paywall_id and c.user_id = m.user_id
    where m.user_id = any (ids) limit batch_size));
  get diagnostics deleted = row_count;
  return in_all + deleted + delete_emptied_users(ids);
end $$;

-- Deletes those users that have no rows left in those tables.
create function delete_emptied_users(ids uuid[]) returns bigint language plpgsql as $$
declare
  emptied constant uuid[] := array(
    select id from unnest(ids) id
    where not exists (
      select from members m
      where m.user_id = id and (
        exists (select from ledger l where l.paywall_id = m.paywall_id and l.user_id = m.user_id)
        or exists (select from events e where e.paywall_id = m.paywall_id and e.user_id = m.user_id)
        or exists (select from checkouts c where c.paywall_id = m.paywall_id and c.user_id = m.user_id))));
  deleted bigint;
begin
  delete from balances b using members m
  where m.user_id = any (emptied) and b.paywall_id = m.paywall_id and b.user_id = m.user_id;
  delete from members m where m.user_id = any (emptied);
  delete from users u where u.id = any (emptied);
  get diagnostics deleted = row_count;
  return deleted;
end $$;
