-- Ends an attempt that has not got the processor's acceptance, so that the next call may retry at once. `is_refused`: the processor has
-- returned nothing, so the refund is forgotten, and what it was to return is left again; but an earlier attempt may have returned it, and its
-- call may still be under way there. Otherwise that is unknown: the refund is repeated as it was, and `has_answered` gives it a new key at
-- the processor. Does nothing if another attempt has taken the claim over, or if one was
-- accepted. Locks the refund.
create function give_up_refund(
  owner_id uuid, refund_id uuid, holder uuid, is_refused boolean, has_answered boolean
) returns jsonb language plpgsql security definer as $$
declare
  refund refunds;
begin
  update refunds r
  set leased_until = null, attempt = r.attempt + case when has_answered then 1 else 0 end
  where (r.owner_id, r.id, r.holder) = (give_up_refund.owner_id, refund_id, give_up_refund.holder) and r.processor_refund is null
  returning r.* into refund;
  if is_refused and refund.claims = 1 then
    delete from refunds r where (r.owner_id, r.id) = (refund.owner_id, refund.id);
  end if;
  return to_jsonb(refund.id is not null);
end $$;
