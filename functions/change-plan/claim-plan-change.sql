-- Decides which call changes a plan at the processor. Of concurrent calls with one Idempotency-Key, or about one subscription, exactly one
-- gets `claimed`, with everything that the processor call needs. The others get `in_progress`, or `replay` with the key's reply.
--
--   caller        'owner' or 'user:<id>', the scope of the key; a call without a key (`has_key`) passes a random one
--   hash          hash of the request: the same key with another hash is refused
--   holder        a random id of this attempt, which gets the claim until its lease expires
--   quote         the id of a preview; null: the change is not limited to a previewed amount
--   capabilities  of each processor: {changesPlan, schedulesPlanChange}, of its definition
--
-- Locks the Idempotency-Key, the change that was requested with it, the subscription's row, and a user's rate limit.
create function claim_plan_change(
  paywall_id text, host text, caller text, key uuid, has_key boolean, hash text, holder uuid, price_id text, capabilities jsonb,
  key_hash text default null, token_user_id uuid default null, token_audience text default null, token_session_id uuid default null,
  email text default null, user_id text default null, external_id text default null,
  subscription_id text default null, quantity integer default null, takes_effect text default null, quote uuid default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  wanted record;
  change plan_changes;
  subscription purchases;
  refused jsonb;
begin
  gate := open_gate(key_hash, token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  if not gate.is_test and not has_key then return verdict('key_required'); end if;

  perform lock_idempotency_key('change of plan by ' || caller, paywall_id, key);
  change := find_requested_plan_change(gate.owner_id, paywall_id, caller, key);
  if change.request_hash <> hash then return verdict('key_reused') || logged(purchase_id => change.purchase_id); end if;
  if change.reply is not null then
    return verdict('replay') || jsonb_build_object('reply', change.reply) || logged(purchase_id => change.purchase_id);
  end if;

  -- An attempt that crashed or failed is repeated as it was, even if the subscription has the new price by now. Once its price has expired,
  -- the call is a new change.
  if change.expires_at <= paywall_now(paywall_id) and coalesce(change.leased_until <= now(), true) then
    change := release_idempotency_key(change);
  end if;
  if change.id is not null then
    select * into subscription from purchases p where p.id = change.purchase_id for no key update;
  else
    wanted := plan_change_order(
      paywall_id, token_user_id, email, user_id, external_id, subscription_id, price_id, quantity, takes_effect,
      capabilities);
    if wanted.refusal is not null then return refused_plan_change(wanted.refusal, wanted.member_id, wanted.subscription); end if;
    subscription := wanted.subscription;
  end if;
  if is_plan_changing(subscription.id) then
    return verdict('in_progress') || logged(subscription.user_id, purchase_id => subscription.id);
  end if;
  if change.id is null then refused := consume_plan_change(token_user_id); end if;
  if refused is not null then return refused; end if;
  if change.id is null and quote is null then
    change := new_plan_change(gate.owner_id, subscription, wanted.price, wanted.quantity, wanted.takes_effect);
  elsif change.id is null then
    change := find_quote(gate.owner_id, quote, subscription, wanted.price, wanted.quantity, wanted.takes_effect);
    if change.id is null then return verdict('quote_expired') || logged(wanted.member_id, purchase_id => subscription.id); end if;
  end if;

  update plan_changes c
  set caller = claim_plan_change.caller, idempotency_key = key, request_hash = hash, holder = claim_plan_change.holder,
    leased_until = now() + plan_change_lease(),
    expires_at = case when c.holder is null then plan_change_expiry(c.paywall_id) else c.expires_at end
  where (c.owner_id, c.id) = (change.owner_id, change.id);
  return verdict('claimed') || jsonb_build_object('change', plan_change_json(change, subscription))
    || logged(subscription.user_id, purchase_id => change.purchase_id, price_id => change.to_price_id);
end $$;

-- The change that was requested with a key, its row locked, lest the attempt that holds it finishes between this and what follows. All null
-- if there is none that is still valid. An expired one releases its key. The key must be locked.
create function find_requested_plan_change(owner_id uuid, paywall_id text, caller text, key uuid) returns plan_changes
language plpgsql as $$
declare
  change plan_changes;
begin
  select * into change from plan_changes c
  where (c.owner_id, c.paywall_id, c.caller, c.idempotency_key) =
    (find_requested_plan_change.owner_id, find_requested_plan_change.paywall_id, find_requested_plan_change.caller, key)
  for no key update;
  if change.created_at > paywall_now(paywall_id) - idempotency_window() then return change; end if;
  return release_idempotency_key(change);
end $$;

-- Makes the key of a change available for another one. Returns null.
create function release_idempotency_key(change plan_changes) returns plan_changes language plpgsql as $$
begin
  update plan_changes c set idempotency_key = null where (c.owner_id, c.id) = (change.owner_id, change.id);
  return null;
end $$;

-- A quote of this very change that nobody has requested yet, all null if there is none: it has expired, or the subscription has changed
-- since. The subscription's row must be locked.
create function find_quote(
  owner_id uuid, quote uuid, subscription purchases, price prices, quantity bigint, takes_effect text
) returns plan_changes language plpgsql stable as $$
begin
  return (
    select c from plan_changes c
    where (c.owner_id, c.id) = (find_quote.owner_id, quote) and c.holder is null and c.due_now is not null
      and c.expires_at > paywall_now(subscription.paywall_id)
      and (c.purchase_id, c.from_price_id, c.from_quantity, c.to_price_id, c.quantity, c.takes_effect) =
        (subscription.id, subscription.price_id, subscription.quantity, price.id, find_quote.quantity, find_quote.takes_effect)
      and (c.processor_price, c.amount, c.currency) = (price.processor_price, price.amount, price.currency)
      and c.period_end = subscription.current_period_end);
end $$;

-- How long an attempt blocks others: longer than all calls of the processor client together. After a crash other calls wait this long.
create function plan_change_lease() returns interval language sql immutable as $$ select interval '60 seconds' $$;
