-- Takes what the reconcile cron should look at: at most `count` hosted pages and `count` purchases, the longest overdue
-- first. Each is described by `DueReference` in due-reference.ts. Taking one sets its next due time: whoever takes at the same
-- moment gets others, and one that cannot be fetched keeps out none.
--
-- Locks these rows. It waits for no row lock, since a row that a writer has locked is skipped, and it locks no member: so it
-- is in no deadlock with writers, who lock a member and then its purchases.
create function take_due(count integer) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a query plan that was made while a table was empty must not read all of it later
as $$
declare
  page record;
  purchase purchases;
  result jsonb := '[]';
begin
  for page in
    select c.id, c.session_id, c.paywall_id, c.acquiring, c.created_at from checkouts c
    where c.completed_at is null and c.reconcile_at <= now()
    order by c.reconcile_at limit count for no key update skip locked
  loop
    update checkouts c set looked_at = now(), reconcile_at = checkout_due(page.created_at, now()) where c.id = page.id;
    result := result || due_reference_json('page', page.session_id, page.id, page.paywall_id, page.acquiring);
  end loop;

  for purchase in
    select p.* from purchases p
    where p.reconcile_at <= now()
    order by p.reconcile_at limit count for no key update skip locked
  loop
    update purchases p set looked_at = now(), reconcile_at = purchase_due(purchase, now()) where p.id = purchase.id;
    result := result || due_reference_json(
      case when purchase.interval is null then 'payment' else 'subscription' end,
      purchase.processor_id, purchase.id, purchase.paywall_id, purchase.acquiring);
  end loop;
  return result;
end $$;

-- What was taken, with the credentials to ask about it at its processor.
create function due_reference_json(kind text, processor_id text, id uuid, paywall_id text, acquiring text) returns jsonb
language plpgsql stable as $$
begin
  return jsonb_build_object(
    'kind', kind, 'processor_id', processor_id, 'id', id, 'paywall_id', paywall_id, 'acquiring', acquiring,
    'taken_at', now()::text, 'credentials', (
      select a.credentials from processor_accounts a
      where a.paywall_id = due_reference_json.paywall_id and a.acquiring = due_reference_json.acquiring));
end $$;
