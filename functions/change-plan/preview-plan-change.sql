-- Finds what a change of plan would change, and stores it as a quote without an amount. Locks the subscription's row, and a user's rate
-- limit.
create function preview_plan_change(
  paywall_id text, host text, price_id text, capabilities jsonb, key_hash text default null, token_user_id uuid default null,
  token_audience text default null, token_session_id uuid default null,
  email text default null, user_id text default null, external_id text default null,
  subscription_id text default null, quantity integer default null, takes_effect text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  wanted record;
  change plan_changes;
  refused jsonb;
begin
  gate := open_gate(key_hash, token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  wanted := plan_change_order(
    paywall_id, token_user_id, email, user_id, external_id, subscription_id, price_id, quantity, takes_effect,
    capabilities);
  if wanted.refusal is not null then return refused_plan_change(wanted.refusal, wanted.member_id, wanted.subscription); end if;
  refused := consume_plan_change(token_user_id);
  if refused is not null then return refused; end if;

  change := new_plan_change(gate.owner_id, wanted.subscription, wanted.price, wanted.quantity, wanted.takes_effect);
  return verdict('quoted') || jsonb_build_object('change', plan_change_json(change, wanted.subscription))
    || logged(wanted.member_id, purchase_id => change.purchase_id, price_id => change.to_price_id);
end $$;
