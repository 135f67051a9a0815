-- Records that a member's superseded page is closed at its processor, so that it can no longer be paid and the reconcile cron need not
-- poll it, and its offer can be used by another. Locks the checkout. Must not be called for a page that was paid just before: that one is
-- completed, or still has to be found by the cron.
create function discard_page(paywall_id text, user_id uuid, acquiring text, page_id text) returns jsonb
language plpgsql security definer as $$
declare
  discarded uuid;
begin
  update checkouts c set reconcile_at = null
  where c.paywall_id = discard_page.paywall_id and c.user_id = discard_page.user_id
    and c.acquiring = discard_page.acquiring and c.hosted_page_id = page_id and c.completed_at is null
  returning c.id into discarded;
  perform free_offer(discarded);
  return to_jsonb(discarded is not null);
end $$;
