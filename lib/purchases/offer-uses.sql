-- The uses of offers. A use is reserved for a checkout before its page is opened, for as long as the page can be paid, a day at most. It
-- is freed when the page is closed, and kept once it is paid. A page that is paid after its reservation has ended counts nevertheless,
-- beyond the offer's `max`.

-- How long a page holds its use at most.
create function offer_hold() returns interval language sql immutable as $$ select interval '24 hours' $$;

-- Whether a use is taken: it is paid, or its page may be paid.
create function is_taken(use offer_uses, present timestamptz) returns boolean language sql immutable as $$
  select use.paid_at is not null or use.held_until > present
$$;

-- Whether all uses of an offer are taken by others: not counted are the reservations of the buyer's own pages, one of which becomes the
-- new page's, and that of `own_checkout_id`. Exact only while the offer's row is locked.
create function is_used_up(offer offers, buyer_id uuid, own_checkout_id uuid) returns boolean language plpgsql stable as $$
declare
  present constant timestamptz := paywall_now(offer.paywall_id);
begin
  if offer.max_uses is null then return false; end if;
  return offer.max_uses <= (
    select count(*) from offer_uses u join checkouts c on c.id = u.checkout_id
    where (u.owner_id, u.paywall_id, u.offer_id) = (offer.owner_id, offer.paywall_id, offer.id) and is_taken(u, present)
      and (u.paid_at is not null or c.user_id is distinct from buyer_id and c.id is distinct from own_checkout_id));
end $$;

-- Whether a member has used an offer as often as each member can: has paid with it, or has a payment with it pending. Not counted is
-- `own_checkout_id`.
create function has_used_offer(offer offers, buyer_id uuid, own_checkout_id uuid) returns boolean language plpgsql stable as $$
begin
  return offer.max_per_member <= (
    select count(*) from checkouts c join offer_uses u on u.checkout_id = c.id
    where c.paywall_id = offer.paywall_id and c.user_id = buyer_id and u.offer_id = offer.id
      and (u.paid_at is not null or u.held_until = 'infinity') and c.id is distinct from own_checkout_id);
end $$;

-- Whether a checkout holds the use of its offer, or has none.
create function holds_offer(checkout checkouts) returns boolean language plpgsql stable as $$
begin
  return checkout.offer is null or exists (
    select from offer_uses u where u.checkout_id = checkout.id and is_taken(u, paywall_now(checkout.paywall_id)));
end $$;

-- Reserves a use of its offer for a checkout, instead of the buyer's earlier pages. False if others have taken all. The member's row must
-- be locked. Locks the offer, if its uses are limited, so that concurrent calls queue: whoever waited counts what the others have
-- reserved.
create function reserve_offer(offer offers, buyer_id uuid, own_checkout_id uuid) returns boolean language plpgsql as $$
begin
  if offer.max_uses is null then return true; end if;
  perform from offers o
  where (o.owner_id, o.paywall_id, o.id) = (offer.owner_id, offer.paywall_id, offer.id) for no key update;
  return not is_used_up(offer, buyer_id, own_checkout_id);
end $$;

-- Stores the use that reserve_offer has allowed, and frees those of the buyer's other pages: of the pages that one buyer has open, one is
-- expected to be paid. If more are, which some processors cannot prevent, settle_offer reports it.
create function hold_offer(offer offers, checkout checkouts) returns void language plpgsql as $$
begin
  delete from offer_uses u using checkouts c
  where c.id = u.checkout_id and c.paywall_id = checkout.paywall_id and c.user_id = checkout.user_id and c.id <> checkout.id
    and u.offer_id = offer.id and u.paid_at is null;
  insert into offer_uses as u (owner_id, paywall_id, offer_id, checkout_id, held_until)
  values (offer.owner_id, offer.paywall_id, offer.id, checkout.id, paywall_now(offer.paywall_id) + offer_hold())
  on conflict on constraint offer_uses_pkey do update set held_until = excluded.held_until;
end $$;

-- The page of a checkout was opened: it can be paid from now on, and no longer after `expires_at`; null: that is not known.
create function extend_offer_hold(checkout checkouts, expires_at timestamptz) returns void language plpgsql as $$
begin
  if checkout.offer is null then return; end if;
  update offer_uses u set held_until = least(paywall_now(u.paywall_id) + offer_hold(), expires_at)
  where u.checkout_id = checkout.id and u.paid_at is null;
end $$;

-- No page of the checkout can be paid any more.
create function free_offer(checkout_id uuid) returns void language plpgsql as $$
begin
  delete from offer_uses u where u.checkout_id = free_offer.checkout_id and u.paid_at is null;
end $$;

-- What a stored purchase means for the use of its checkout's offer: it is paid; a pending payment holds it, however long that takes; a
-- payment that has failed for good frees it. A payment for which no use is left, in all or for the member, counts nevertheless:
-- `is_beyond_max`. The member's row must be locked. Locks the offer.
create function settle_offer(checkout checkouts, purchase purchases) returns void language plpgsql as $$
declare
  present constant timestamptz := paywall_now(checkout.paywall_id);
  offer offers;
begin
  if checkout.offer is null then return; end if;
  if not purchase.begun and purchase.status = 'canceled' then
    perform free_offer(checkout.id);
    return;
  end if;
  if not purchase.begun then
    update offer_uses u set held_until = 'infinity' where u.checkout_id = checkout.id and u.paid_at is null;
    return;
  end if;
  if exists (select from offer_uses u where u.checkout_id = checkout.id and u.paid_at is not null) then return; end if;
  select o.* into offer from offers o join paywalls p on p.owner_id = o.owner_id and p.id = o.paywall_id
  where p.id = checkout.paywall_id and o.id = checkout.offer ->> 'id' for no key update of o;
  insert into offer_uses as u (owner_id, paywall_id, offer_id, checkout_id, held_until, paid_at, is_beyond_max)
  values (offer.owner_id, offer.paywall_id, offer.id, checkout.id, 'infinity', present,
    not holds_offer(checkout) and is_used_up(offer, null, checkout.id) or has_used_offer(offer, checkout.user_id, checkout.id))
  on conflict on constraint offer_uses_pkey do update
  set held_until = excluded.held_until, paid_at = excluded.paid_at, is_beyond_max = excluded.is_beyond_max;
end $$;

-- The offer that a completed checkout was paid with, as its event shows it; null: none. A link that is paid again takes the discount off
-- again, but its checkout has one use only: each further purchase is beyond the limits.
create function used_offer_json(checkout checkouts, purchase purchases) returns jsonb language plpgsql stable as $$
begin
  if checkout.offer is null then return null; end if;
  return jsonb_build_object('id', checkout.offer ->> 'id', 'beyond_max', exists (
    select from offer_uses u where u.checkout_id = checkout.id and u.is_beyond_max)
    or exists (select from purchases p where p.checkout_id = checkout.id and p.id <> purchase.id and p.begun));
end $$;

-- What a page asks for a price: without what its offer takes off.
create function reduced_amount(amount bigint, offer jsonb) returns bigint language sql immutable as $$
  select amount - coalesce(
    (offer -> 'discount' ->> 'amount')::bigint, round(amount * (offer -> 'discount' ->> 'percent')::numeric / 100)::bigint, 0)
$$;
