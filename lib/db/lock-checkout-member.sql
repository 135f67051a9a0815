-- A paywall's checkout, as it is once its member's row is locked; all null if the paywall has no such checkout. Whoever waited
-- while the member was merged into another one goes on with that one: the checkout then says whose it is.
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
