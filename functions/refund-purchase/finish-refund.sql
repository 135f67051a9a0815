-- Gives up the claim of a refund that was accepted, once its purchase was read: from now on calls with its key get the same refund. Returns
-- that, with the purchase. Locks the refund.
create function finish_refund(owner_id uuid, refund_id uuid) returns jsonb language plpgsql security definer as $$
declare
  refund refunds;
begin
  update refunds r set leased_until = null
  where (r.owner_id, r.id) = (finish_refund.owner_id, refund_id)
  returning r.* into refund;
  return refund_reply(refund);
end $$;
