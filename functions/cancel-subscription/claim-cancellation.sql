-- Claims the cancellation of a member's subscription by setting a mark on its row (contract section 4.4). The row is locked before it is
-- read, so of concurrent callers exactly one sets the mark and calls the processor. No other row is locked. A user may omit the paywall.
--
-- If a mark is neither accepted nor given up when its lease expires, its Worker has crashed. The next caller then sets its own mark, since
-- a repeated request to the processor does no harm.
create function claim_cancellation(
  host text, subscription_id text, reason text, paywall_id text default null, key_hash text default null,
  token_user_id uuid default null, token_audience text default null, token_session_id uuid default null,
  email text default null, user_id text default null, external_id text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  member record;
  named_id uuid;
  subscription purchases;
  present timestamptz;
begin
  paywall_id := coalesce(paywall_id, find_subscription_paywall(token_user_id, subscription_id));
  gate := open_gate(key_hash, token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal = 'unknown_key' then gate := open_team_gate(key_hash, paywall_id, host, 'cancel_subscription'); end if;
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  member := find_member(paywall_id, token_user_id, email, user_id, external_id);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;

  named_id := find_subscription(paywall_id, member.id, subscription_id);
  select * into subscription from purchases p where p.id = named_id for no key update;
  if not found then return verdict('unknown_subscription') || logged(member.id); end if;
  present := paywall_now(paywall_id);
  if subscription.status = 'canceled' or subscription.cancel_at_period_end or subscription.cancel_accepted_at is not null
    or subscription.cancel_requested_at > present - cancellation_lease() then
    return verdict('already_cancelled') || logged(member.id, purchase_id => subscription.id);
  end if;

  subscription.cancel_requested_at := present;
  update purchases p set cancel_requested_at = present, cancellation_reason = reason,
    reconcile_at = purchase_due(subscription, p.polled_at)
  where p.id = subscription.id;
  perform record_team_act(key_hash, 'cancel_subscription', gate.is_test, subscription.id::text, member.id, reason);
  return verdict('claimed') || jsonb_build_object('subscription', jsonb_build_object(
    'id', subscription.id, 'account', account_json(subscription.paywall_id, subscription.acquiring),
    'processor_id', subscription.processor_id,
    'current_period_end', iso(subscription.current_period_end), 'requested_at', present::text,
    'versions', newest_versions(subscription))) || logged(member.id, purchase_id => subscription.id);
end $$;

-- The paywall of a user's call that names none: the one where the user has that subscription, or else any paywall of the user's, where the
-- subscription will not be found.
create function find_subscription_paywall(user_id uuid, subscription_id text) returns text language plpgsql stable as $$
begin
  return (
    select p.paywall_id from members m cross join lateral (
      select m.paywall_id, find_subscription(m.paywall_id, m.user_id, subscription_id) as id) p
    where m.user_id = find_subscription_paywall.user_id
    order by p.id = as_uuid(subscription_id) desc nulls last, p.id is null, p.paywall_id limit 1);
end $$;

-- A member's subscription by our own id or by the processor's; ours goes first.
create function find_subscription(paywall_id text, user_id uuid, subscription_id text) returns uuid language plpgsql stable as $$
begin
  return (
    select p.id from purchases p
    where p.paywall_id = find_subscription.paywall_id and p.user_id = find_subscription.user_id and p.interval is not null
      and (p.id = as_uuid(subscription_id) or p.processor_id = subscription_id)
    order by p.id = as_uuid(subscription_id) desc nulls last limit 1);
end $$;

-- How long a request blocks others: longer than the timeout of the processor client. After a crash other calls wait this long.
create function cancellation_lease() returns interval language sql immutable as $$ select interval '30 seconds' $$;
