-- A hosted checkout that a browser comes back from, the account to ask what became of it, and the database's time before the
-- fetch, stored as the fetch's time (`fetched_at`). Locks nothing.
create function read_checkout(checkout_id uuid, host text) returns jsonb language plpgsql stable security definer as $$
declare
  checkout jsonb;
begin
  select verdict('found') || jsonb_build_object(
    'id', c.id, 'paywall_id', c.paywall_id, 'acquiring', c.acquiring, 'credentials', a.credentials,
    'page_id', c.session_id, 'success_url', c.success_url, 'error_url', c.error_url,
    'completed', c.completed_at is not null, 'now', clock_timestamp()::text) into checkout
  from checkouts c join processor_accounts a on a.paywall_id = c.paywall_id and a.acquiring = c.acquiring
  where c.id = checkout_id and (select p.id from find_paywall(c.paywall_id, host) p) is not null;
  return coalesce(checkout, verdict('unknown_checkout'));
end $$;
