-- Returns the user of a verified address, as a member of the paywall; creates it if missing. If `anonymous_id` is given and
-- the address is free, that user gets the address; otherwise it is merged into the address's user. Locks the anonymous user,
-- the address's user if it is new, and then both members if the one is merged into the other.
create function user_of_address(paywall_id text, address text, anonymous_id uuid) returns uuid language plpgsql as $$
declare
  known_id uuid;
  is_anonymous boolean;
begin
  -- First the anonymous user's row: whoever else signs it in waits here, and then finds it known or merged.
  perform from users u where u.id = anonymous_id and u.email is null for no key update;
  is_anonymous := exists (
    select from users u join members m on m.user_id = u.id
    where u.id = anonymous_id and u.email is null
      and m.paywall_id = user_of_address.paywall_id and m.merged_into is null);
  if is_anonymous and give_address(paywall_id, address, anonymous_id) then return anonymous_id; end if;

  select u.id into known_id from users u where u.email = address;
  if not found then
    insert into users as u (email) values (address)
    on conflict (email) do update set created_at = u.created_at returning u.id into known_id;
  end if;
  insert into members (paywall_id, user_id) values (paywall_id, known_id)
  on conflict on constraint members_pkey do nothing;
  if is_anonymous then perform merge_member(paywall_id, anonymous_id, known_id); end if;
  return known_id;
end $$;

-- Gives an anonymous user the address, if no user has it, and ends the sessions it had without one. Returns false if another
-- user has the address.
create function give_address(paywall_id text, address text, anonymous_id uuid) returns boolean language plpgsql as $$
begin
  if exists (select from users u where u.email = address) then return false; end if;
  update users u set email = address where u.id = anonymous_id;
  update purchases p set buyer_email = null
  where (p.paywall_id, p.user_id) = (give_address.paywall_id, anonymous_id) and p.buyer_email is not null;
  perform end_sessions(paywall_id, anonymous_id);
  return true;
exception when unique_violation then
  return false; -- somebody made the address a user this very moment: that user it is
end $$;

create function end_sessions(paywall_id text, user_id uuid) returns void language plpgsql as $$
begin
  update sign_in_sessions s set ended_at = now()
  where s.paywall_id = end_sessions.paywall_id and s.user_id = end_sessions.user_id and s.ended_at is null;
end $$;
