-- Deletes up to `count` checkouts on which nothing was bought within 30 days: no page can be paid so late, except a link, which never
-- expires. Those on which something was bought, or that can still be paid, stay, and are not looked at again. Gives how many it is done
-- with, either way.
--
-- Locks each one's member, as whoever stores a purchase does, and the checkout. What somebody has locked is in use and stays for now,
-- so this waits for nobody.
create function purge_checkouts(count integer) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a query plan that was made while a table was empty must not read all of it later
as $$
declare
  ids uuid[];
  kept bigint;
  deleted bigint;
begin
  ids := array(
    select c.id from checkouts c join members m on m.paywall_id = c.paywall_id and m.user_id = c.user_id
    where c.purge_at <= now() order by c.purge_at limit count
    for no key update of m skip locked for update of c skip locked);

  update checkouts c set purge_at = null
  where c.id = any (ids)
    and (c.completed_at is not null or exists (select from purchases p where p.checkout_id = c.id)
      or c.hosted_page_id is not null and not pages_sell_once(c.acquiring));
  get diagnostics kept = row_count;
  delete from checkouts c where c.id = any (ids) and c.purge_at is not null;
  get diagnostics deleted = row_count;
  return to_jsonb(kept + deleted);
end $$;
