-- Finds the offer that a call names by its id or its code. `reason` says why the call does not get it; null: it does, unless others take
-- its last use first (reserve_offer), or the buyer uses it meanwhile (lock_buyer). A user cannot name an offer that needs a code by its
-- id, which could be guessed like a code. An offer to subscribers who cancel is for no new purchase. `buyer_id` is null if the buyer is
-- new.
--
--   country  the buyer's; null: not known, so the buyer is in none of the offer's countries
--   after_trial  the processors that count the periods of a discount from the end of a trial
--   own_checkout_id  a checkout whose reservation does not count
create function find_offer(
  paywall_id text, offer_id text, code text, by_owner boolean, buyer_id uuid, price prices, trial_days integer, after_trial jsonb,
  country text, own_checkout_id uuid, out offer offers, out reason text
) language plpgsql stable as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
begin
  select o.* into offer from offers o join paywalls p on p.owner_id = o.owner_id and p.id = o.paywall_id
  where p.id = find_offer.paywall_id and o.retired_at is null
    and (o.id = offer_id or offer_id is null) and (lower(o.code) = lower(find_offer.code) or find_offer.code is null)
    and (by_owner or find_offer.code is not null or o.show <> 'code');
  reason := case
    when offer.id is null then 'unknown'
    when offer.show = 'cancel' then 'not_for_purchases'
    when offer.starts_at > present then 'not_started'
    when offer.ends_at <= present then 'ended'
    when price.slug <> all (offer.prices) then 'other_price'
    when offer.countries is not null and coalesce(find_offer.country, '') <> all (offer.countries) then 'other_country'
    when trial_days > 0 and offer.discount ->> 'periods' <> 'forever'
      and not after_trial ? (select p.acquiring from paywalls p where p.id = find_offer.paywall_id) then 'no_trial'
    when has_used_offer(offer, buyer_id, null) then 'used'
    when is_used_up(offer, buyer_id, own_checkout_id) then 'used_up' end;
end $$;

-- Counts a user's attempt to enter a code, so that codes cannot be guessed. Null, or the verdict `too_many_codes` with the seconds to
-- `wait`. A right code is put back by `refund_code`. Not counted with an owner key, or if `network` is null. Locks the rate limits.
create function consume_code(user_id uuid, network text) returns jsonb language plpgsql as $$
declare
  period constant interval := '1 hour';
  of_a_user constant bigint := 10;
  of_a_network constant bigint := 50;
  wait interval;
begin
  if user_id is null or network is null then return null; end if;
  wait := coalesce(
    consume('codes', 'user:' || user_id, 1, of_a_user, period), consume('codes', 'network:' || network, 1, of_a_network, period));
  if wait is null then return null; end if;
  return verdict('too_many_codes') || jsonb_build_object('wait', ceil(extract(epoch from wait)));
end $$;

create function refund_code(user_id uuid, network text) returns void language plpgsql as $$
begin
  if user_id is null or network is null then return; end if;
  perform refund('codes', 'user:' || user_id, 1);
  perform refund('codes', 'network:' || network, 1);
end $$;
