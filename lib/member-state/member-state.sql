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
      access_until(p) as ends_at, purchase_json(p) || jsonb_build_object('last_payment', last_payment_json(p.id)) as object
    from purchases p where p.paywall_id = member_state.paywall_id and p.user_id = member_state.user_id
  ), granted as (
    select g.id, g.ends_at, grant_json(g) as object
    from grants g where g.paywall_id = member_state.paywall_id and g.user_id = member_state.user_id and grants_access(g, present)
  ), sources as (
    select b.ends_at, b.object from bought b where b.has_access union all select g.ends_at, g.object from granted g
  )
  select
    exists (select from sources) as has_access,
    coalesce(bool_or(b.has_access) filter (where b.interval is not null), false) as subscribed,
    (select case when bool_and(s.ends_at is not null) then max(s.ends_at) end from sources s) as ends_at,
    coalesce(jsonb_agg(b.object order by b.created_at desc, b.id), '[]') as purchases,
    (select coalesce(jsonb_agg(g.object order by g.ends_at desc, g.id), '[]') from granted g) as grants,
    coalesce(jsonb_agg(b.id order by b.created_at desc, b.id) filter (where b.is_replaced), '[]') as being_replaced,
    (select coalesce(jsonb_agg(distinct feature collate "C" order by feature collate "C"), '[]')
      from sources s, jsonb_array_elements_text(s.object -> 'features') feature) as features
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
    'paid', access.has_access, 'has_active_subscription', access.subscribed, 'access_until', iso(access.ends_at),
    'features', access.features, 'purchases', access.purchases, 'grants', access.grants, 'being_replaced', access.being_replaced,
    'trial', trial, 'balances', balances_json(paywall_id, user_id, settings));
end $$;
