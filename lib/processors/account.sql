-- A paywall's account at a processor, for the Worker `processors`: `SealedAccount` in lib/processors/account.ts. Null if there is none.
create function account_json(paywall_id text, acquiring text) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'paywallId', p.id, 'acquiring', a.acquiring, 'credentials', a.credentials, 'isTest', p.is_test,
      'clockAheadSeconds', extract(epoch from p.clock_offset))
    from paywalls p join processor_accounts a on a.paywall_id = p.id
    where p.id = account_json.paywall_id and a.acquiring = account_json.acquiring);
end $$;
