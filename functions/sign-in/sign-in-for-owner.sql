-- Signs in the user of an e-mail address for the paywall's owner, who has verified the address itself. User and member are
-- made if they are new. `name`, if there is one, is the member's name from now on. Locks the user if it is new, and the
-- member if its name changes.
create function sign_in_for_owner(
  key_hash text, paywall_id text, host text, email text, session_id uuid, token_hash text, token_days integer,
  name text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  named_id uuid;
begin
  gate := open_owner_gate(key_hash, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  named_id := user_of_address(paywall_id, email, null);
  if name is not null then
    update members m set name = sign_in_for_owner.name
    where m.paywall_id = sign_in_for_owner.paywall_id and m.user_id = named_id
      and m.name is distinct from sign_in_for_owner.name;
  end if;
  return begin_session(paywall_id, named_id, session_id, token_hash, token_days);
end $$;
