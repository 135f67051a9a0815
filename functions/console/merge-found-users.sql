-- Merges a user into another one of the same owner and mode (merge-users.sql). `into_name`: our id of the other one, the owner's, or its e-mail
-- address. Locks both users in the order of their ids, and then as merge_users does. Verdicts: `merged`, with the id of the user that is left;
-- `unknown_user_id`; `unknown_other`; `same_user`.
create function merge_found_users(
  session_hash text, is_test boolean, user_id text, into_name text, reason text default null
) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  gate constant record := open_console_act(session_hash, 'merge_users');
  from_id constant uuid := as_uuid(user_id);
  into_id constant uuid := (
    select u.id from users u
    where u.owner_id = gate.owner_id and u.is_test = merge_found_users.is_test
      and (u.id = as_uuid(into_name) or u.email = lower(into_name) or u.external_id = into_name)
    order by u.id = as_uuid(into_name) desc nulls last limit 1);
  locked uuid[];
begin
  if gate.refusal is not null then return verdict(gate.refusal) || jsonb_build_object('email', gate.email); end if;
  perform from users u where u.id in (from_id, into_id) order by u.id for no key update;
  locked := array(
    select u.id from users u
    where u.owner_id = gate.owner_id and u.is_test = merge_found_users.is_test and u.id in (from_id, into_id)
      and u.erased_at is null and not is_merged(u.id));
  if from_id is null or not from_id = any (locked) then return verdict('unknown_user_id'); end if;
  if into_id is null or not into_id = any (locked) then return verdict('unknown_other'); end if;
  if into_id = from_id then return verdict('same_user'); end if;

  perform record_act(gate.owner_id, gate.email, gate.role, 'merge_users', is_test, from_id::text, into_id, reason);
  return verdict('merged') || jsonb_build_object('user_id', into_id, 'queued', merge_users(from_id, into_id));
end $$;
