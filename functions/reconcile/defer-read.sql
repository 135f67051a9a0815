-- Records that an account's processor asks for a pause of `seconds`, and makes the read due again after it: `kind` and `id` are those of a
-- `DueReference`. Pending events have due times of their own.
create function defer_read(paywall_id text, acquiring text, kind text, id text, seconds integer) returns jsonb
language plpgsql security definer as $$
declare
  again constant timestamptz := paywall_now(paywall_id) + make_interval(secs => seconds);
begin
  update checkouts c set reconcile_at = again
  where defer_read.kind = 'page' and c.id = as_uuid(defer_read.id)
    and (c.completed_at is null or c.reconcile_at is not null);
  update purchases p set reconcile_at = again
  where defer_read.kind in ('subscription', 'payment') and p.id = as_uuid(defer_read.id);
  perform hold_account(paywall_id, acquiring, again);
  return null;
end $$;
