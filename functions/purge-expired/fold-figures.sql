-- Adds up to `count` rows of `pending_figures` to `figures`, and deletes them. Locked rows are in use and skipped, so this waits for nobody but
-- another call that adds to the same figures. Returns the number of deleted rows.
create function fold_figures(count integer) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a plan cached while a table was empty must not scan all of it later
as $$
declare
  zero constant figures := no_figures();
  folded bigint;
begin
  with taken as (
    delete from pending_figures where ctid = any (array(
      select f.ctid from pending_figures f order by f.owner_id, f.is_test, f.id limit fold_figures.count for update skip locked))
    returning *
  ), added as (
    insert into figures as f (
      owner_id, is_test, by, is_month, day, key, currency,
      revenue, tax, refunds, lost_disputes, payments, refund_count, disputes, mrr, mrr_new, mrr_upgrade, mrr_recovered, mrr_downgrade,
      mrr_churn, subscriptions, new_subscriptions, recovered_subscriptions, churned_subscriptions, trials, trials_started,
      trials_converted, trials_ended, failed_payments, failed_amount, recovered_payments, recovered_amount)
    select t.owner_id, t.is_test, split.by, span.is_month, span.day, split.key, t.currency,
      sum(v.revenue), sum(v.tax), sum(v.refunds), sum(v.lost_disputes), sum(v.payments), sum(v.refund_count), sum(v.disputes),
      sum(v.mrr), sum(v.mrr_new), sum(v.mrr_upgrade), sum(v.mrr_recovered), sum(v.mrr_downgrade), sum(v.mrr_churn), sum(v.subscriptions),
      sum(v.new_subscriptions), sum(v.recovered_subscriptions), sum(v.churned_subscriptions), sum(v.trials), sum(v.trials_started),
      sum(v.trials_converted), sum(v.trials_ended), sum(v.failed_payments), sum(v.failed_amount), sum(v.recovered_payments),
      sum(v.recovered_amount)
    from taken t
      cross join jsonb_populate_record(zero, t.added) v
      cross join (values (false), (true)) spans (is_month)
      cross join lateral (
        select spans.is_month, case when spans.is_month then date_trunc('month', t.day)::date else t.day end as day) span
      cross join lateral (
        values ('day', ''), ('price', t.price), ('country', t.country), ('acquiring', t.acquiring)) split (by, key)
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict on constraint figures_pkey do update set
      revenue = f.revenue + excluded.revenue, tax = f.tax + excluded.tax, refunds = f.refunds + excluded.refunds,
      lost_disputes = f.lost_disputes + excluded.lost_disputes, payments = f.payments + excluded.payments,
      refund_count = f.refund_count + excluded.refund_count, disputes = f.disputes + excluded.disputes, mrr = f.mrr + excluded.mrr,
      mrr_new = f.mrr_new + excluded.mrr_new, mrr_upgrade = f.mrr_upgrade + excluded.mrr_upgrade,
      mrr_recovered = f.mrr_recovered + excluded.mrr_recovered, mrr_downgrade = f.mrr_downgrade + excluded.mrr_downgrade,
      mrr_churn = f.mrr_churn + excluded.mrr_churn, subscriptions = f.subscriptions + excluded.subscriptions,
      new_subscriptions = f.new_subscriptions + excluded.new_subscriptions,
      recovered_subscriptions = f.recovered_subscriptions + excluded.recovered_subscriptions,
      churned_subscriptions = f.churned_subscriptions + excluded.churned_subscriptions, trials = f.trials + excluded.trials,
      trials_started = f.trials_started + excluded.trials_started, trials_converted = f.trials_converted + excluded.trials_converted,
      trials_ended = f.trials_ended + excluded.trials_ended, failed_payments = f.failed_payments + excluded.failed_payments,
      failed_amount = f.failed_amount + excluded.failed_amount, recovered_payments = f.recovered_payments + excluded.recovered_payments,
      recovered_amount = f.recovered_amount + excluded.recovered_amount
  )
  select count(*) into folded from taken;
  return to_jsonb(folded);
end $$;
