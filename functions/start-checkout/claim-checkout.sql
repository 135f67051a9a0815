-- Decides who opens the checkout of an Idempotency-Key, or of a call without one (contract sections 4.2 and 8). Of many calls
-- at once exactly one gets `claimed`, with all that the processor must be asked. The others get `in_progress`, or `replay`
-- with the reply that the key had. `request` is the call, with null for what it left out:
--
--   caller ('owner' or 'user:<id>'), key, has_key, hash (of what is asked for), holder (a random id of this attempt),
--   lease_seconds, email, price_id, success_url, error_url, shop_url, trial_days, ignore_active_purchase, user_meta, country,
--   local_currency, return_origin
--
-- Locks the Idempotency-Key, the user's row if it is new, the member and the claim. A call that is refused leaves nothing
-- behind: the key is looked up before a user or a member is made, and once more under the claim's own lock, because the
-- holder before may have finished meanwhile.
create function claim_checkout(
  paywall_id text, host text, request jsonb, key_hash text default null, token_user_id uuid default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  target record;
  price prices;
  buyer record;
  claim checkout_claims;
  checkout checkouts;
begin
  select * into gate from open_gate(key_hash, token_user_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  perform lock_idempotency_key('checkout of ' || (request ->> 'caller'), paywall_id, (request ->> 'key')::uuid);
  select * into claim from find_claim(paywall_id, request ->> 'caller', (request ->> 'key')::uuid);
  if claim.request_hash <> request ->> 'hash' then return verdict('key_reused'); end if;
  if claim.opened then return replay_of(claim); end if;

  select * into target from checkout_target(paywall_id, request);
  if target.success_url is null or target.error_url is null or request ->> 'price_id' is null
    or key_hash is not null and request ->> 'email' is null then
    return verdict('missing_parameters') || jsonb_build_object(
      'has_success_url', target.success_url is not null, 'has_error_url', target.error_url is not null);
  end if;
  if not gate.is_test and not (request ->> 'has_key')::boolean then return verdict('key_required'); end if;

  select * into price from prices p
  where p.paywall_id = claim_checkout.paywall_id and p.id = request ->> 'price_id' and p.retired_at is null;
  if not found then return verdict('unknown_price'); end if;
  if claim.leased_until > now() then return verdict('in_progress'); end if;

  select * into buyer from lock_buyer(paywall_id, token_user_id, request);
  if buyer.refusal is not null then return verdict(buyer.refusal); end if;

  select * into claim from take_claim(paywall_id, request);
  if claim.opened then return replay_of(claim); end if;
  if claim.holder <> (request ->> 'holder')::uuid then return verdict('in_progress'); end if;

  update members m set meta = buyer.merged_meta
  where m.paywall_id = claim_checkout.paywall_id and m.user_id = buyer.user_id and m.meta <> buyer.merged_meta;

  -- An attempt after a crash repeats the checkout that the first one stored, to the letter.
  select * into checkout from checkouts c where c.id = claim.checkout_id;
  if not found then
    checkout := new_checkout(claim.checkout_id, buyer.user_id, price, request, key_hash is not null);
    checkout.success_url := target.success_url;
    checkout.error_url := target.error_url;
    perform store_checkout(checkout);
  end if;
  return verdict('claimed') || jsonb_build_object('checkout', claimed_checkout_json(checkout, claim));
end $$;

-- Where to return to: what the call says, else, on a paywall with a domain of its own, its settings and its front page.
create function checkout_target(paywall_id text, request jsonb, out success_url text, out error_url text)
language sql stable as $$
  select
    coalesce(request ->> 'success_url', case when p.domain is not null then p.settings ->> 'success_redirect_url' end),
    coalesce(request ->> 'error_url', case when p.domain is not null
      then coalesce(p.settings ->> 'error_redirect_url', 'https://' || p.domain || '/') end)
  from paywalls p where p.id = checkout_target.paywall_id
$$;
