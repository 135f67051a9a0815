-- Changes of subscriptions that the owner's figures count (docs/figures.md): `subscription_changes`, and their figures.

-- What a subscription adds to the monthly recurring revenue while it is counted, rounded to a minor unit: the price of a period by its
-- length, where a year has 12 months, 52 weeks or 365 days. Limited to the largest amount that JSON keeps exactly.
create function monthly_amount(p purchases) returns bigint language sql immutable as $$
  select least(
    round(p.unit_amount::numeric * p.quantity
      * case p.interval when 'year' then 1 when 'month' then 12 when 'week' then 52 when 'day' then 365 end / (12 * p.interval_count)),
    9007199254740991)::bigint
$$;

-- Whether a subscription is active in the figures: paid, or past due within its grace period. A trial is not, nor is one that was replaced by
-- a purchase that is counted instead.
create function is_counted(owner_id uuid, p purchases) returns boolean language plpgsql stable as $$
begin
  return p.interval is not null and p.begun and p.status in ('active', 'past_due') and p.access_ended_at is null
    and coalesce(p.paid_period_start >= p.trial_end, true) and not is_replaced_in_figures(owner_id, p);
end $$;

create function is_replaced_in_figures(owner_id uuid, p purchases) returns boolean language plpgsql stable as $$
begin
  return p.replaced_by is not null and exists (
    select from subscription_changes c
    where c.owner_id = is_replaced_in_figures.owner_id and c.purchase_id = p.replaced_by and c.subscriptions > 0);
end $$;

-- Writes down what has changed of a subscription since the last call, and of those that it replaces. The member's row must be locked.
create function record_subscription_changes(owner_id uuid, purchase_id uuid) returns void language plpgsql as $$
declare
  p purchases;
  older purchases;
begin
  select * into p from purchases found where found.id = purchase_id;
  if p.interval is null or not p.begun then return; end if;
  perform record_trial_changes(owner_id, p);
  if not record_mrr_change(owner_id, p) then return; end if;
  for older in
    select * from purchases o where (o.paywall_id, o.user_id, o.replaced_by) = (p.paywall_id, p.user_id, p.id)
  loop
    perform record_mrr_change(owner_id, older);
  end loop;
end $$;

-- Writes down that a trial began, that it was paid for, or that it ended without a payment.
create function record_trial_changes(owner_id uuid, p purchases) returns void language plpgsql as $$
declare
  kinds text[];
begin
  if p.trial_start is null then return; end if;
  kinds := array(
    select c.kind from subscription_changes c where c.owner_id = record_trial_changes.owner_id and c.purchase_id = p.id);
  if 'trial_started' <> all (kinds) then
    perform add_subscription_change(owner_id, p, 'trial_started', p.trial_start, 0, 0, p.currency, counted_slug(p));
  end if;
  if kinds && '{trial_converted,trial_ended}' then return; end if;
  if p.paid_period_start >= p.trial_end and p.status in ('active', 'past_due') then
    perform end_trial(owner_id, p, 'trial_converted', p.paid_period_start);
  elsif p.status = 'canceled' or p.access_ended_at is not null then
    perform end_trial(owner_id, p, 'trial_ended', coalesce(p.access_lost_at, p.access_ended_at, paywall_now(p.paywall_id)));
  end if;
end $$;

-- Its end is counted with the price of its start, so that the number of running trials of each price is right.
create function end_trial(owner_id uuid, p purchases, kind text, at timestamptz) returns void language plpgsql as $$
declare
  started subscription_changes;
begin
  select * into started from subscription_changes c
  where c.owner_id = end_trial.owner_id and c.purchase_id = p.id and c.kind = 'trial_started';
  perform add_subscription_change(owner_id, p, kind, at, 0, 0, started.currency, started.price_slug);
end $$;

-- Brings what is written down of a subscription's monthly recurring revenue in line with its state. Returns whether that has changed.
create function record_mrr_change(owner_id uuid, p purchases) returns boolean language plpgsql as $$
declare
  known constant record := recorded_mrr(owner_id, p.id);
  counts constant boolean := is_counted(owner_id, p);
  mrr constant bigint := monthly_amount(p);
  slug constant text := counted_slug(p);
  present constant timestamptz := paywall_now(p.paywall_id);
  kind text;
begin
  if not counts then
    if known.currency is null then return false; end if;
    perform add_subscription_change(
      owner_id, p, end_kind(owner_id, p), least(coalesce(p.access_lost_at, p.access_ended_at), present),
      -1, -known.mrr, known.currency, known.price_slug);
  elsif known.currency is null then
    perform add_subscription_change(
      owner_id, p, start_kind(owner_id, p, mrr, known.is_new), start_time(p, known.is_new, present), 1, mrr, p.currency, slug);
  elsif (known.currency, coalesce(known.price_slug, '')) = (p.currency, coalesce(slug, '')) then
    if mrr = known.mrr then return false; end if;
    perform add_subscription_change(owner_id, p, change_kind(known.mrr, mrr), present, 0, mrr - known.mrr, p.currency, slug);
  else
    kind := change_kind(known.mrr, mrr);
    perform add_subscription_change(
      owner_id, p, case when known.currency = p.currency then kind else 'downgrade' end, present,
      -1, -known.mrr, known.currency, known.price_slug);
    perform add_subscription_change(
      owner_id, p, case when known.currency = p.currency then kind else 'upgrade' end, present, 1, mrr, p.currency, slug);
  end if;
  return true;
end $$;

-- What is written down of a subscription: with which currency and price it is counted, null if it is not, and whether it never was.
create function recorded_mrr(
  owner_id uuid, purchase_id uuid, out currency text, out price_slug text, out mrr bigint, out is_new boolean
) language plpgsql stable as $$
begin
  select c.currency, c.price_slug, sum(c.mrr) into currency, price_slug, mrr
  from subscription_changes c
  where c.owner_id = recorded_mrr.owner_id and c.purchase_id = recorded_mrr.purchase_id
  group by c.currency, c.price_slug having sum(c.subscriptions) > 0;
  is_new := not exists (
    select from subscription_changes c
    where c.owner_id = recorded_mrr.owner_id and c.purchase_id = recorded_mrr.purchase_id and c.subscriptions > 0);
end $$;

create function change_kind(before bigint, after bigint) returns text language sql immutable as $$
  select case when after < before then 'downgrade' else 'upgrade' end
$$;

-- As what a subscription is counted that begins to be: it may replace one that is counted until now.
create function start_kind(owner_id uuid, p purchases, mrr bigint, is_new boolean) returns text language plpgsql stable as $$
declare
  replaced constant bigint := (
    select sum(older.mrr) from purchases o cross join recorded_mrr(start_kind.owner_id, o.id) older
    where (o.paywall_id, o.user_id, o.replaced_by) = (p.paywall_id, p.user_id, p.id) and older.currency = p.currency);
begin
  return case when not is_new then 'recovered' when replaced is null then 'new' else change_kind(replaced, mrr) end;
end $$;

-- As what a subscription is counted that is no longer active: if another one replaces it, as that one.
create function end_kind(owner_id uuid, p purchases) returns text language plpgsql stable as $$
begin
  return coalesce(
    (select c.kind from subscription_changes c
      where c.owner_id = end_kind.owner_id and c.purchase_id = p.replaced_by and c.kind in ('upgrade', 'downgrade')
      order by c.id limit 1),
    'churn');
end $$;

-- Since when a subscription is counted that begins to be: its sale, or the payment after its trial.
create function start_time(p purchases, is_new boolean, present timestamptz) returns timestamptz language plpgsql stable as $$
begin
  return case when is_new then least(case when p.trial_start is null then p.started_at else p.paid_period_start end, present) else present end;
end $$;

-- The name of the price in the figures; null if no price of the paywall matches what is charged.
create function counted_slug(p purchases) returns text language plpgsql stable as $$
begin
  return (select price.slug from prices price where price.id = p.price_id and p.unmatched_from is null);
end $$;

create function add_subscription_change(
  owner_id uuid, p purchases, kind text, at timestamptz, subscriptions integer, mrr bigint, currency text, price_slug text
) returns void language plpgsql as $$
begin
  insert into subscription_changes (owner_id, purchase_id, at, kind, subscriptions, mrr, currency, price_slug)
  values (owner_id, p.id, at, kind, subscriptions, mrr, currency, price_slug);
  perform add_figures(
    p, at, currency, price_slug, jsonb_build_object('mrr', mrr, 'subscriptions', subscriptions) || case kind
      when 'new' then jsonb_build_object('mrr_new', mrr, 'new_subscriptions', 1)
      when 'upgrade' then jsonb_build_object('mrr_upgrade', mrr)
      when 'downgrade' then jsonb_build_object('mrr_downgrade', mrr)
      when 'churn' then jsonb_build_object('mrr_churn', mrr, 'churned_subscriptions', 1)
      when 'recovered' then jsonb_build_object('mrr_recovered', mrr, 'recovered_subscriptions', 1)
      when 'trial_started' then '{"trials": 1, "trials_started": 1}'
      when 'trial_converted' then '{"trials": -1, "trials_converted": 1}'
      when 'trial_ended' then '{"trials": -1, "trials_ended": 1}' end);
end $$;
