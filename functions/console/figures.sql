-- The owner's figures as the console and `paywall stats` read them (docs/figures.md).

-- The figures of one mode from `first_day` to `last_day`, both included; by default those of the last `days` until today. `by` splits them:
-- `day`, `price`, `country` or `acquiring`. `changes` are the sums within these days, of the levels their changes: by key, by currency and by
-- `rate_day`, which is the day of the owner's exchange rates that were valid; null: none was. The values of a line are in the order of `names`,
-- with a space in between. `levels` are those at the beginning of the first day, by key and currency; by day they have no key. Amounts are
-- text, so that JSON keeps them exactly.
create function figures_json(
  owner_id uuid, is_test boolean, by text, first_day date default null, last_day date default null, days integer default 30
) returns jsonb language plpgsql stable
set enable_seqscan = off -- a plan cached while a table was empty must not scan all of it later
as $$
declare
  until constant date := coalesce(last_day, figures_today(owner_id, is_test));
  since constant date := coalesce(first_day, until - (days - 1));
begin
  return jsonb_build_object(
    'by', by, 'first_day', since, 'last_day', until,
    'reporting_currency', (select o.reporting_currency from owners o where o.id = figures_json.owner_id),
    'rates', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'currency', r.currency, 'from', r.valid_from, 'rate', r.rate::text) order by r.currency, r.valid_from), '[]')
      from exchange_rates r where r.owner_id = figures_json.owner_id),
    'paywalls', (
      select coalesce(jsonb_object_agg(p.id, p.name), '{}')
      from paywalls p where (p.owner_id, p.is_test) = (figures_json.owner_id, figures_json.is_test)),
    'names', array[
      'revenue', 'tax', 'refunds', 'lost_disputes', 'payments', 'refund_count', 'disputes', 'mrr', 'mrr_new', 'mrr_upgrade',
      'mrr_recovered', 'mrr_downgrade', 'mrr_churn', 'subscriptions', 'new_subscriptions', 'recovered_subscriptions',
      'churned_subscriptions', 'trials', 'trials_started', 'trials_converted', 'trials_ended', 'failed_payments', 'failed_amount',
      'recovered_payments', 'recovered_amount'],
    'changes', figure_changes(owner_id, is_test, by, since, until),
    'levels', figure_levels(owner_id, is_test, by, since));
end $$;

-- Today in UTC. Clocks of test paywalls may have been moved ahead: then the latest of their days.
create function figures_today(owner_id uuid, is_test boolean) returns date language plpgsql stable as $$
begin
  return (
    select ((now() + coalesce(max(p.clock_offset), '0')) at time zone 'utc')::date
    from paywalls p where (p.owner_id, p.is_test) = (figures_today.owner_id, figures_today.is_test));
end $$;

-- As one text for each line, because a year by day would be ten thousands of values.
create function figure_changes(owner_id uuid, is_test boolean, by text, since date, until date) returns jsonb language plpgsql stable as $$
declare
  rate_days constant date[] := array(
    select distinct r.valid_from from exchange_rates r where r.owner_id = figure_changes.owner_id order by r.valid_from);
begin
  return (
    with facts as (
      select f.* from figures f
      where (f.owner_id, f.is_test, f.by) = (figure_changes.owner_id, figure_changes.is_test, figure_changes.by) and not f.is_month
        and f.day between since and until
      union all
      select f.* from unfolded_figures(figure_changes.owner_id, figure_changes.is_test, figure_changes.by, since, until) f
    ), lines as (
      select
        case when figure_changes.by = 'day' then f.day::text else f.key end as key, f.currency,
        rate_days[width_bucket(f.day, rate_days)] as rate_day,
        concat_ws(' ',
          sum(f.revenue), sum(f.tax), sum(f.refunds), sum(f.lost_disputes), sum(f.payments), sum(f.refund_count), sum(f.disputes),
          sum(f.mrr), sum(f.mrr_new), sum(f.mrr_upgrade), sum(f.mrr_recovered), sum(f.mrr_downgrade), sum(f.mrr_churn),
          sum(f.subscriptions), sum(f.new_subscriptions), sum(f.recovered_subscriptions), sum(f.churned_subscriptions), sum(f.trials),
          sum(f.trials_started), sum(f.trials_converted), sum(f.trials_ended), sum(f.failed_payments), sum(f.failed_amount),
          sum(f.recovered_payments), sum(f.recovered_amount)) as values
      from facts f group by 1, 2, 3
    )
    select coalesce(jsonb_agg(to_jsonb(l) order by l.key, l.currency, l.rate_day), '[]') from lines l);
end $$;

create function figure_levels(owner_id uuid, is_test boolean, by text, since date) returns jsonb language plpgsql stable as $$
declare
  month constant date := date_trunc('month', since);
begin
  return (
    with facts as (
      select f.key, f.currency, f.subscriptions, f.mrr, f.trials from figures f
      where (f.owner_id, f.is_test, f.by) = (figure_levels.owner_id, figure_levels.is_test, figure_levels.by) and f.is_month
        and f.day < month
      union all
      select f.key, f.currency, f.subscriptions, f.mrr, f.trials from figures f
      where (f.owner_id, f.is_test, f.by) = (figure_levels.owner_id, figure_levels.is_test, figure_levels.by) and not f.is_month
        and f.day >= month and f.day < since
      union all
      select f.key, f.currency, f.subscriptions, f.mrr, f.trials
      from unfolded_figures(figure_levels.owner_id, figure_levels.is_test, figure_levels.by, '-infinity', since - 1) f
    ), lines as (
      select f.key, f.currency, coalesce(sum(f.subscriptions), 0)::text as subscriptions, coalesce(sum(f.mrr), 0)::text as mrr,
        coalesce(sum(f.trials), 0)::text as trials
      from facts f group by 1, 2
    )
    select coalesce(jsonb_agg(to_jsonb(l) order by l.key, l.currency), '[]') from lines l);
end $$;

-- The figures of some days that are not yet added to `figures`, as rows of that table.
create function unfolded_figures(owner_id uuid, is_test boolean, by text, since date, until date) returns setof figures
language plpgsql stable as $$
declare
  zero constant figures := no_figures();
begin
  return query
    select each.*
    from pending_figures f cross join jsonb_populate_record(zero, f.added || jsonb_build_object(
      'owner_id', f.owner_id, 'is_test', f.is_test, 'by', unfolded_figures.by, 'is_month', false, 'day', f.day, 'currency', f.currency,
      'key', case unfolded_figures.by when 'day' then '' when 'price' then f.price when 'country' then f.country else f.acquiring end)) each
    where (f.owner_id, f.is_test) = (unfolded_figures.owner_id, unfolded_figures.is_test) and f.day between since and until;
end $$;
