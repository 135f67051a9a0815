-- The mode that the console shows first: live, unless the owner has only test paywalls.
create function find_front_mode(session_hash text) returns jsonb language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_users');
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  return verdict('found') || jsonb_build_object('is_test', not exists (
    select from paywalls p where p.owner_id = gate.owner_id and not p.is_test));
end $$;
