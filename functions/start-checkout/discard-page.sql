-- Notes that a member's superseded page is closed at its processor, so that nobody can pay on it any more: the reconcile cron need
-- not look at it. Locks the checkout. A page that was paid just before has been completed, or is still to be found by the cron:
-- it must not come here.
create function discard_page(paywall_id text, user_id uuid, acquiring text, page_id text) returns jsonb
language plpgsql security definer as $$
begin
  update checkouts c set reconcile_at = null
  where c.paywall_id = discard_page.paywall_id and c.user_id = discard_page.user_id
    and c.acquiring = discard_page.acquiring and c.hosted_page_id = page_id and c.completed_at is null;
  return to_jsonb(found);
end $$;
