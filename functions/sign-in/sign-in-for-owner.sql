-- Signs in a user for the paywall's owner, who has verified the user, and identifies it by e-mail address, external id or both. User and
-- member are created if missing, and the session stores the key. `name`, if sent, becomes the member's name. Locks the user, and the member
-- if its name changes.
create function sign_in_for_owner(
  key_hash text, paywall_id text, host text, session_id uuid, token_hash text, token_days integer,
  email text default null, external_id text default null, name text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  named record;
  refusal text;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  loop
    named := name_user(paywall_id, email, external_id);
    refusal := named.refusal;
    if refusal is null and named.lacks_name then refusal := give_names(named.id, email, external_id); end if;
    if refusal is not null then return verdict(refusal); end if;
    exit when lock_as_member(paywall_id, named.id); -- else it has just been merged: retry
  end loop;
  if name is not null then
    update members m set name = sign_in_for_owner.name
    where m.paywall_id = sign_in_for_owner.paywall_id and m.user_id = named.id
      and m.name is distinct from sign_in_for_owner.name;
  end if;
  return begin_session(paywall_id, named.id, session_id, token_hash, token_days,
    minted_by => (select k.id from api_keys k where k.key_hash = sign_in_for_owner.key_hash));
end $$;
