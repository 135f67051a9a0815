-- Lists what was done in the console, latest first, a page at a time: what precedes `before`, an entry's id.
create function list_audit_log(session_hash text, before text default null) returns jsonb language plpgsql stable security definer as $$
declare
  page_size constant integer := 100;
  gate constant record := open_console(session_hash, 'read_audit_log');
  below constant bigint := case when before ~ '^[0-9]{1,18}$' then before::bigint else 9223372036854775807 end;
  listed jsonb;
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  listed := (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', a.id, 'at', iso(a.at), 'email', a.email, 'role', a.role, 'act', a.act, 'is_test', a.is_test, 'user_id', a.user_id,
      'subject', a.subject, 'reason', a.reason) order by a.id desc), '[]')
    from (
      select * from audit_log a where a.owner_id = gate.owner_id and a.id < below order by a.id desc limit page_size + 1) a);
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role)
    || jsonb_build_object('entries', listed - page_size, 'has_more', jsonb_array_length(listed) > page_size);
end $$;
