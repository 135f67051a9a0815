-- Finds the paywall whose own domain is this host.
create function find_paywall_of_host(host text) returns jsonb language plpgsql stable security definer as $$
declare
  paywall_id constant text := (select p.id from paywalls p where p.domain = host);
begin
  if paywall_id is null then return verdict('unknown_paywall'); end if;
  return verdict('found') || jsonb_build_object('id', paywall_id);
end $$;
