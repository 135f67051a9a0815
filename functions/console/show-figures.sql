-- The figures of one mode for the Overview: see figures.sql.
create function show_figures(
  session_hash text, is_test boolean, by text, first_day text default null, last_day text default null, days integer default 30
) returns jsonb language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_figures');
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role)
    || jsonb_build_object('figures', figures_json(gate.owner_id, is_test, by, first_day::date, last_day::date, days));
end $$;
