-- Lists the owner keys of both modes: the valid ones first, then those that were revoked.
create function list_keys(session_hash text) returns jsonb language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_keys');
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role) || jsonb_build_object('keys', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', k.id, 'name', k.name, 'is_test', k.is_test, 'created_at', iso(k.created_at), 'revoked_at', iso(k.revoked_at))
      order by k.revoked_at is not null, k.is_test, k.name, k.created_at), '[]')
    from api_keys k where k.owner_id = gate.owner_id));
end $$;
