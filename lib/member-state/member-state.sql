-- Finds the member that a read is about, after the daily top-up: the first read of a UTC day raises the balances of a member without a paid
-- period. Locks the member only if today's top-up is due.
create function find_topped_up_member(
  paywall_id text, token_user_id uuid, email text, user_id text, external_id text, settings jsonb,
  out refusal text, out id uuid
) language plpgsql as $$
begin
  select * into refusal, id from find_member(paywall_id, token_user_id, email, user_id, external_id);
  if refusal is not null or not exists (select from due_top_ups(paywall_id, id, settings)) then return; end if;
  select * into refusal, id from lock_member(paywall_id, token_user_id, email, user_id, external_id);
  if refusal is null then perform top_up(paywall_id, id, settings); end if;
end $$;

-- A member's state on a paywall, as user and bootstrap return it (contract section 2). `stable`, so that all its queries see the same
-- snapshot.
create function member_state(paywall_id text, user_id uuid, settings jsonb) returns jsonb language plpgsql stable as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  access record;
  trial jsonb;
begin
  with bought as (
    select p.id, p.created_at, p.interval, gives_access(p, present) as has_access, is_being_replaced(p) as is_replaced,
      purchase_json(p) || jsonb_build_object('last_payment', last_payment_json(p.id)) as object
    from purchases p where p.paywall_id = member_state.paywall_id and p.user_id = member_state.user_id
  )
  select
    coalesce(bool_or(b.has_access), false) as has_access,
    coalesce(bool_or(b.has_access) filter (where b.interval is not null), false) as subscribed,
    coalesce(jsonb_agg(b.object order by b.created_at desc, b.id), '[]') as purchases,
    coalesce(jsonb_agg(b.id order by b.created_at desc, b.id) filter (where b.is_replaced), '[]') as being_replaced,
    (select coalesce(jsonb_agg(distinct feature collate "C" order by feature collate "C"), '[]')
      from bought having_access, jsonb_array_elements_text(having_access.object -> 'features') feature
      where having_access.has_access) as features
  into access
  from bought b;

  select jsonb_build_object(
    'purchase_id', p.id, 'started_at', iso(coalesce(p.trial_start, p.created_at)), 'ends_at', iso(p.trial_end),
    'days_left', ceil(extract(epoch from p.trial_end - present) / 86400)::int) into trial
  from purchases p
  where p.paywall_id = member_state.paywall_id and p.user_id = member_state.user_id
    and p.status = 'trialing' and p.trial_end > present
  order by p.trial_end desc limit 1;

  return jsonb_build_object(
    'paid', access.has_access, 'has_active_subscription', access.subscribed, 'features', access.features,
    'purchases', access.purchases, 'being_replaced', access.being_replaced, 'trial', trial, 'balances', balances_json(paywall_id, user_id, settings));
end $$;
