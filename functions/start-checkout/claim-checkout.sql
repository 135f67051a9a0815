-- Decides which call opens the checkout of an Idempotency-Key, or of a call without one (contract sections 4.2 and 8). Of concurrent calls
-- exactly one gets `claimed`, with everything that the processor call needs. The others get `in_progress`, or `replay` with the key's
-- reply.
--
--   caller  'owner' or 'user:<id>', the scope of the key; a call without a key (`has_key`) passes a random one
--   hash    hash of the request: the same key with another hash is refused
--   holder  a random id of this attempt, which gets the claim for `lease_seconds`
--   success_origin, error_origin, service_origin: see redirect_targets
--   network the network of a user's call; null: its pages are not counted
--   fixed_trials  the processors that support no trial but a price's own
--   after_trial   the processors that count the periods of a discount from the end of a trial
--   page_locales  the language for the page, by processor; {}: the call asks for none
--   offer, code   name an offer: see find_offer
--
-- Locks the Idempotency-Key, the rate limits of codes, the user's row if it is new or is given a name, the member, the rate limits of
-- pages, the offer and the claim. A refused call leaves nothing behind, unless another call takes the last use of its offer at the same
-- time: the key is looked up before a user or a member is created, and once more under the claim's own lock, because the previous holder
-- may have finished meanwhile.
create function claim_checkout(
  paywall_id text, host text, caller text, key uuid, has_key boolean, hash text, holder uuid,
  lease_seconds double precision, ignore_active_purchase boolean, user_meta jsonb, return_origin text,
  key_hash text default null, token_user_id uuid default null, token_audience text default null, token_session_id uuid default null,
  email text default null, external_id text default null, price_id text default null,
  success_url text default null, error_url text default null, shop_url text default null,
  trial_days integer default null, country text default null, local_currency text default null, network text default null,
  fixed_trials jsonb default '[]', after_trial jsonb default '[]', page_locales jsonb default '{}',
  offer text default null, code text default null, quantity integer default 1,
  success_origin text default null, error_origin text default null, service_origin text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  claim checkout_claims;
  targets record;
  refused jsonb;
  price prices;
  buyer record;
  checkout checkouts;
  named_id uuid; -- the buyer, if the call names a user who exists
  taken record;
  chosen offers; -- null: none is needed, or the first attempt has reserved one
begin
  gate := open_gate(key_hash, token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  -- The claim, if the key was used before.
  perform lock_idempotency_key('checkout of ' || caller, paywall_id, key);
  claim := find_claim(paywall_id, caller, key);
  if claim.request_hash <> hash then return verdict('key_reused') || logged(checkout_id => claim.checkout_id); end if;
  if claim.opened then return replay_json(claim); end if;

  -- The order. Its errors are reported at once, even while another attempt holds the claim.
  targets := redirect_targets(
    paywall_id, host, key_hash is not null, success_origin, error_origin, service_origin, success_url, error_url, return_origin);
  refused := order_refusal(targets.success_url, targets.error_url, targets.refusal,
    lacks_key => not gate.is_test and not has_key,
    lacks_others => price_id is null or key_hash is not null and coalesce(email, external_id) is null);
  if refused is not null then return refused; end if;
  select * into price from prices p
  where p.paywall_id = claim_checkout.paywall_id and p.id = claim_checkout.price_id and p.retired_at is null;
  if not found then return verdict('unknown_price'); end if;
  if quantity > 1 and not price.per_unit then return verdict('not_per_unit') || logged(price_id => price.id); end if;
  if trial_days not in (0, price.trial_days)
    and fixed_trials ? (select p.acquiring from paywalls p where p.id = price.paywall_id) then
    return verdict('fixed_trial') || jsonb_build_object('days', price.trial_days) || logged(price_id => price.id);
  end if;
  if claim.leased_until > now() then return verdict('in_progress') || logged(checkout_id => claim.checkout_id); end if;

  -- The offer. The first attempt of this key may have reserved it.
  select * into checkout from checkouts c where c.id = claim.checkout_id;
  if coalesce(offer, code) is not null and (checkout.id is null or not holds_offer(checkout)) then
    if code is not null then refused := consume_code(token_user_id, network); end if;
    if refused is not null then return refused; end if;
    named_id := coalesce(token_user_id, find_named_user(paywall_id, email, null, external_id));
    taken := find_offer(
      paywall_id, offer, code, key_hash is not null, named_id, price, trial_days, after_trial, country, checkout.id);
    if code is not null and (taken.offer).id is not null then perform refund_code(token_user_id, network); end if;
    if taken.reason is not null then
      return verdict('invalid_offer') || jsonb_build_object('reason', taken.reason) || logged(named_id, price_id => price.id);
    end if;
    chosen := taken.offer;
  end if;

  -- The buyer, locked.
  buyer := lock_buyer(paywall_id, token_user_id, email, external_id, user_meta, price, ignore_active_purchase, chosen);
  if buyer.refusal = 'active_purchase' then
    return verdict('active_purchase') || jsonb_build_object(
      'purchase_id', (buyer.blocking).id, 'status', (buyer.blocking).status
    ) || logged(buyer.user_id, purchase_id => (buyer.blocking).id, price_id => price.id);
  end if;
  if buyer.refusal = 'invalid_offer' then
    return verdict('invalid_offer') || '{"reason": "used"}' || logged(buyer.user_id, price_id => price.id);
  end if;
  if buyer.refusal is not null then return verdict(buyer.refusal) || logged(buyer.user_id, price_id => price.id); end if;

  refused := consume_page(paywall_id, token_user_id, network);
  if refused is not null then return refused; end if;

  if chosen.id is not null and not reserve_offer(chosen, buyer.user_id, checkout.id) then
    return verdict('invalid_offer') || '{"reason": "used_up"}' || logged(buyer.user_id, price_id => price.id);
  end if;

  -- Claim the key for this attempt.
  claim := acquire_claim(paywall_id, caller, key, hash, holder, now() + make_interval(secs => lease_seconds));
  if claim.opened then return replay_json(claim); end if;
  if claim.holder <> holder then return verdict('in_progress') || logged(checkout_id => claim.checkout_id); end if;

  perform keep_user_meta(paywall_id, buyer.user_id, key_hash is not null, buyer.merged_meta);

  -- After a crash the stored checkout is used again; claimed_checkout_json lists what is read anew.
  select * into checkout from checkouts c where c.id = claim.checkout_id;
  if not found then
    checkout := new_checkout(
      claim.checkout_id, buyer.user_id, price, targets.success_url, targets.error_url, targets.return_origin,
      targets.success_is_foreign, targets.error_is_foreign, shop_url, country, local_currency,
      requested_days => trial_days, by_owner => key_hash is not null, replaces => ignore_active_purchase,
      settings => gate.settings, page_locales => page_locales, offer => chosen, quantity => quantity);
  end if;
  if chosen.id is not null then perform hold_offer(chosen, checkout); end if;
  return verdict('claimed') || jsonb_build_object('checkout', claimed_checkout_json(checkout, claim))
    || logged(checkout.user_id, checkout_id => checkout.id, price_id => checkout.price_id);
end $$;
