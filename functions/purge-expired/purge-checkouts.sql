-- Deletes up to `count` checkouts on which nothing was bought within 30 days: no page can be paid that late, except a link, which never
-- expires. Checkouts with a purchase, or that can still be paid, are kept and never checked again. Returns the number of checkouts that
-- were deleted or kept.
--
-- Locks each one's member, as every writer of a purchase does, and the checkout. Locked rows are in use and skipped, so this waits for
-- nobody.
create function purge_checkouts(count integer) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a plan cached while a table was empty must not scan all of it later
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
