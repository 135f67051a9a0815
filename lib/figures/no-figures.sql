-- A row of `figures` in which nothing is counted.
create function no_figures() returns figures language plpgsql immutable as $$
begin
  return jsonb_populate_record(null::figures, jsonb_build_object(
    'revenue', 0, 'tax', 0, 'refunds', 0, 'lost_disputes', 0, 'payments', 0, 'refund_count', 0, 'disputes', 0, 'mrr', 0, 'mrr_new', 0,
    'mrr_upgrade', 0, 'mrr_recovered', 0, 'mrr_downgrade', 0, 'mrr_churn', 0, 'subscriptions', 0, 'new_subscriptions', 0,
    'recovered_subscriptions', 0, 'churned_subscriptions', 0, 'trials', 0, 'trials_started', 0, 'trials_converted', 0, 'trials_ended', 0,
    'failed_payments', 0, 'failed_amount', 0, 'recovered_payments', 0, 'recovered_amount', 0));
end $$;
