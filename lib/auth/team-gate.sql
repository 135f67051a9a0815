-- The gate of an act that a member of the owner's team does in the console, which calls the same endpoint as the owner's backend, with its
-- session instead of an owner key. Called once open_owner_gate has found no such key. The session must permit the act, and be confirmed if
-- the act requires that (open_console_act); else it is an unknown key.
create function open_team_gate(
  session_hash text, paywall_id text, host text, act text, out refusal text, out owner_id uuid, out is_test boolean, out settings jsonb
) language plpgsql stable as $$
declare
  paywall constant record := find_paywall(paywall_id, host);
  member constant record := open_console_act(session_hash, act);
begin
  refusal := case
    when member.refusal is not null then 'unknown_key'
    when paywall.id is null then 'unknown_paywall'
    when paywall.owner_id <> member.owner_id then 'not_owner' end;
  owner_id := paywall.owner_id;
  is_test := paywall.is_test;
  settings := paywall.settings;
end $$;

-- Writes down an act of a member of the team. Of an owner key nothing is written down.
create function record_team_act(
  session_hash text, act text, is_test boolean, subject text, user_id uuid, reason text
) returns void language plpgsql as $$
declare
  member constant record := open_console_act(session_hash, act);
begin
  if member.refusal is null then
    perform record_act(member.owner_id, member.email, member.role, act, is_test, subject, user_id, reason);
  end if;
end $$;
