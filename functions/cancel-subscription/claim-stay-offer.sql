-- Reserves a use of an offer for a member's running subscription, before the processor takes it off (decision 0020). `claimed` has what the
-- processor call needs; `accepted`: an earlier call has taken it off. `reason` of `invalid_offer` as in find_offer.
--
-- A use belongs to the checkout that sold the subscription. It is held until the period ends: if an attempt crashes, a retry in that period
-- reaches the same result at the processor. After it the discount may have been used up there, so the offer counts as used.
--
--   country  the member's
--
-- Locks the member, and the offer if its uses are limited.
create function claim_stay_offer(
  token_user_id uuid, token_audience text, token_session_id uuid, paywall_id text, host text, subscription_id text, offer_id text,
  country text
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  member record;
  named_id uuid;
  subscription purchases;
  chosen offers;
  use offer_uses;
  reason text;
begin
  gate := open_user_gate(token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  member := find_member(paywall_id, token_user_id, null, null, null);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;
  perform from members m where (m.paywall_id, m.user_id) = (claim_stay_offer.paywall_id, member.id) for no key update;

  named_id := find_subscription(paywall_id, member.id, subscription_id);
  select * into subscription from purchases p where p.id = named_id;
  if not found then return verdict('unknown_subscription') || logged(member.id); end if;
  select o.* into chosen from offers o
  where (o.owner_id, o.paywall_id, o.id) = (gate.owner_id, claim_stay_offer.paywall_id, offer_id) and o.show = 'cancel';
  select u.* into use from offer_uses u
  where (u.owner_id, u.paywall_id, u.offer_id, u.checkout_id) = (chosen.owner_id, chosen.paywall_id, chosen.id, subscription.checkout_id);
  if use.paid_at is not null then return verdict('accepted') || logged(member.id, purchase_id => subscription.id); end if;
  if not renews_unchanged(subscription) then return verdict('not_running') || logged(member.id, purchase_id => subscription.id); end if;

  reason := stay_offer_problem(chosen, use, subscription, country);
  if reason is null and use.checkout_id is null then
    reason := case
      when has_used_offer(chosen, member.id, null) then 'used'
      when not reserve_offer(chosen, member.id, subscription.checkout_id) then 'used_up' end;
  end if;
  if reason is not null then
    return verdict('invalid_offer') || jsonb_build_object('reason', reason) || logged(member.id, purchase_id => subscription.id);
  end if;
  if use.checkout_id is null then
    insert into offer_uses (owner_id, paywall_id, offer_id, checkout_id, held_until)
    values (chosen.owner_id, chosen.paywall_id, chosen.id, subscription.checkout_id, subscription.current_period_end);
  end if;
  return verdict('claimed') || logged(member.id, purchase_id => subscription.id) || jsonb_build_object('claim', jsonb_build_object(
    'purchase_id', subscription.id, 'offer_id', chosen.id, 'account', account_json(subscription.paywall_id, subscription.acquiring),
    'processor_id', subscription.processor_id, 'amount', subscription.unit_amount * subscription.quantity,
    'discount', chosen.discount, 'processor_discount', chosen.processor_discount));
end $$;

-- Whether a subscription is paid and will renew as it is, at the paywall's processor. Its discount could be lost in a change of plan at the
-- same time, or that change.
create function renews_unchanged(subscription purchases) returns boolean language plpgsql stable as $$
begin
  return subscription.status = 'active' and not subscription.cancel_at_period_end and subscription.cancel_accepted_at is null
    and subscription.stop_requested_at is null and subscription.replaced_by is null and subscription.scheduled_change_at is null
    and not is_plan_changing(subscription.id)
    and subscription.current_period_end > paywall_now(subscription.paywall_id)
    and subscription.acquiring = (select p.acquiring from paywalls p where p.id = subscription.paywall_id);
end $$;

-- Why a subscription does not get an offer. A use that an earlier attempt has reserved in the same period is given, whatever became of the
-- offer.
create function stay_offer_problem(offer offers, use offer_uses, subscription purchases, country text) returns text
language plpgsql stable as $$
declare
  present constant timestamptz := paywall_now(subscription.paywall_id);
  slug constant text := (select p.slug from prices p where p.id = subscription.price_id);
begin
  if use.held_until = subscription.current_period_end then return null; end if;
  return case
    when use.checkout_id is not null then 'used'
    when offer.id is null or offer.retired_at is not null then 'unknown'
    when offer.starts_at > present then 'not_started'
    when offer.ends_at <= present then 'ended'
    when slug <> all (offer.prices) or offer.discount ->> 'currency' <> subscription.currency
      or subscription.unmatched_from is not null then 'other_price'
    when offer.countries is not null and country <> all (offer.countries) then 'other_country' end;
end $$;
