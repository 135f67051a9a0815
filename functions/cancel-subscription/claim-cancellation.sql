-- Claims the cancelling of a member's subscription, by a mark on its row (contract section 4.4). The row is locked before it is
-- looked at: of many callers at once exactly one makes the mark and calls the processor. No other row is locked.
--
-- If a mark is neither accepted nor given up when its lease ends, its Worker has crashed. The next caller then makes its
-- own, since telling the processor twice does no harm.
create function claim_cancellation(
  paywall_id text, host text, subscription_id text, reason text, key_hash text default null,
  token_user_id uuid default null, email text default null, user_id text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  member record;
  named_id uuid;
  subscription purchases;
begin
  gate := open_gate(key_hash, token_user_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  member := find_member(paywall_id, token_user_id, email, user_id);
  if member.refusal is not null and key_hash is not null then return verdict(member.refusal); end if;

  named_id := find_subscription(paywall_id, member.id, subscription_id);
  select * into subscription from purchases p where p.id = named_id for no key update;
  if not found then return verdict('unknown_subscription'); end if;
  if subscription.status = 'canceled' or subscription.cancel_at_period_end or subscription.cancel_accepted_at is not null
    or subscription.cancel_requested_at > now() - cancellation_lease() then
    return verdict('already_cancelled');
  end if;

  subscription.cancel_requested_at := now();
  update purchases p set cancel_requested_at = now(), cancellation_reason = reason,
    reconcile_at = purchase_due(subscription, p.looked_at)
  where p.id = subscription.id;
  return verdict('claimed') || jsonb_build_object('subscription', (
    select jsonb_build_object(
      'id', subscription.id, 'paywall_id', subscription.paywall_id, 'acquiring', subscription.acquiring,
      'credentials', a.credentials, 'processor_id', subscription.processor_id,
      'current_period_end', iso(subscription.current_period_end), 'requested_at', now()::text)
    from processor_accounts a
    where a.paywall_id = subscription.paywall_id and a.acquiring = subscription.acquiring));
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

-- How long a request keeps others out: longer than the processor client's own timeout. After a crash others wait
-- this long.
create function cancellation_lease() returns interval language sql immutable as $$ select interval '30 seconds' $$;
