-- Locks the member of a checkout and returns the checkout; all null if the paywall has no such checkout. If the member was merged while
-- this call waited, locks the member it was merged into, which then owns the checkout.
create function lock_checkout_member(paywall_id text, checkout_id uuid) returns checkouts language plpgsql as $$
declare
  checkout checkouts;
  locked_id uuid;
begin
  loop
    select * into checkout from checkouts c
    where c.id = checkout_id and c.paywall_id = lock_checkout_member.paywall_id;
    if not found or checkout.user_id = locked_id then return checkout; end if;
    select m.user_id into locked_id from members m
    where m.paywall_id = checkout.paywall_id and m.user_id = checkout.user_id for no key update;
  end loop;
end $$;
