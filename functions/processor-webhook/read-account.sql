-- The paywall's account at a processor, and the database's time before the fetch, stored as the fetch's time (`fetched_at`).
-- Locks nothing.
create function read_account(acquiring text, paywall_id text, host text) returns jsonb
language plpgsql stable security definer as $$
declare
  account jsonb;
begin
  select verdict('found') || jsonb_build_object('credentials', a.credentials, 'now', clock_timestamp()::text) into account
  from find_paywall(paywall_id, host) p join processor_accounts a on a.paywall_id = p.id
  where a.acquiring = read_account.acquiring;
  return coalesce(account, verdict('unknown_paywall'));
end $$;
