-- Takes what the reconcile cron should look at: at most `count` hosted pages and `count` purchases, the longest overdue
-- first. Taking moves the next look away, so whoever takes at the same moment gets others, and what cannot be fetched
-- stands in nobody's way. It waits for no row lock, since what a writer holds is skipped, and takes no member's: it cannot
-- stand in a circle of writers who lock a member and then its purchases.
create function take_due(count integer) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a query plan that was made while a table was empty must not read all of it later
as $$
declare
  taken jsonb;
begin
  with due_checkouts as (
    select c.id from checkouts c
    where c.completed_at is null and c.reconcile_at <= now()
    order by c.reconcile_at limit count for no key update skip locked
  ), due_purchases as (
    select p.id from purchases p where p.reconcile_at <= now()
    order by p.reconcile_at limit count for no key update skip locked
  ), pages as (
    update checkouts c set looked_at = now(), reconcile_at = checkout_due(c.created_at, now())
    from due_checkouts due where c.id = due.id
    returning 'page' as kind, c.session_id as processor_id, c.id, c.paywall_id, c.acquiring
  ), bought as (
    update purchases p set looked_at = now(), reconcile_at = purchase_due(p, now())
    from due_purchases due where p.id = due.id
    returning case when p.interval is null then 'payment' else 'subscription' end as kind,
      p.processor_id, p.id, p.paywall_id, p.acquiring
  )
  select coalesce(jsonb_agg(to_jsonb(reference) || jsonb_build_object(
    'credentials', a.credentials, 'taken_at', now()::text)), '[]') into taken
  from (select * from pages union all select * from bought) reference
  join processor_accounts a on a.paywall_id = reference.paywall_id and a.acquiring = reference.acquiring;
  return taken;
end $$;
