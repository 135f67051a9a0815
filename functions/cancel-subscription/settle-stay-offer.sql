-- Records what the processor did with an offer that claim_stay_offer has reserved: it takes it off (`given`), so the use is kept, or it has
-- refused, so the use is free again. A call that was refused does not free the use of another one that was not. Locks the use.
create function settle_stay_offer(purchase_id uuid, offer_id text, given boolean) returns jsonb language plpgsql security definer as $$
declare
  sold_by uuid;
  sold_on paywalls;
begin
  select p.checkout_id into sold_by from purchases p where p.id = purchase_id;
  select paywall.* into sold_on from paywalls paywall join purchases p on p.paywall_id = paywall.id where p.id = purchase_id;
  if given then
    insert into offer_uses as u (owner_id, paywall_id, offer_id, checkout_id, held_until, paid_at)
    values (sold_on.owner_id, sold_on.id, offer_id, sold_by, 'infinity', paywall_now(sold_on.id))
    on conflict on constraint offer_uses_pkey do update
    set paid_at = coalesce(u.paid_at, excluded.paid_at), held_until = 'infinity';
  else
    delete from offer_uses u
    where u.checkout_id = sold_by and u.offer_id = settle_stay_offer.offer_id and u.paid_at is null;
  end if;
  return to_jsonb(given);
end $$;
