-- The paywall's account at a processor, the paywall's time before the fetch, which becomes the snapshot's `fetched_at`, and for how many
-- more seconds the account is held (`hold`), null if it is not. Locks nothing.
create function read_account(acquiring text, paywall_id text, host text) returns jsonb
language plpgsql stable security definer as $$
declare
  account constant jsonb := account_json((select p.id from find_paywall(paywall_id, host) p), acquiring);
begin
  if account is null then return verdict('unknown_paywall'); end if;
  return verdict('found') || jsonb_build_object(
    'account', account, 'now', time_before_fetch(account ->> 'paywallId'),
    'hold', ceil(extract(epoch from held_for(account ->> 'paywallId', acquiring, paywall_now(account ->> 'paywallId')))));
end $$;
