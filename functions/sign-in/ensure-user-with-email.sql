-- Returns the user of a verified address, as a member of the paywall; creates it if missing. If `anonymous_id` is given and
-- the address is free, that user gets the address; otherwise it is merged into the address's user. `queued` is the number of queued
-- deliveries. Locks both users if there is an anonymous one, else the address's, and then the members that ensure_member and merge_users
-- lock.
create function ensure_user_with_email(
  paywall_id text, address text, anonymous_id uuid, out known_id uuid, out queued integer
) language plpgsql as $$
declare
  here constant record := paywall_scope(paywall_id);
  is_anonymous boolean;
begin
  queued := 0;
  loop
    select u.id into known_id from users u
    where (u.owner_id, u.is_test, u.email) = (here.owner_id, here.is_test, address);
    is_anonymous := anonymous_id is not null and lock_anonymous(paywall_id, anonymous_id, known_id);
    if is_anonymous and known_id is null and set_email(anonymous_id, address) then known_id := anonymous_id; end if;
    if known_id is null then
      insert into users as u (owner_id, is_test, email) values (here.owner_id, here.is_test, address)
      on conflict do nothing returning u.id into known_id;
    end if;
    -- If the address's user was just created by another call, was merged, or got another address, retry.
    if lock_as_member(paywall_id, known_id) then
      exit when exists (select from users u where u.id = known_id and u.email = address);
    end if;
  end loop;
  if is_anonymous and known_id <> anonymous_id then queued := merge_users(anonymous_id, known_id); end if;
end $$;

-- Locks the rows of two users in the order of their ids. Returns whether the first is anonymous, not merged, and may be a member of the
-- paywall: concurrent sign-ins of it wait here, and then see that it is known or merged.
create function lock_anonymous(paywall_id text, anonymous_id uuid, known_id uuid) returns boolean language plpgsql as $$
declare
  here constant record := paywall_scope(paywall_id);
begin
  perform from users u where u.id in (anonymous_id, known_id) order by u.id for no key update;
  return not is_merged(anonymous_id) and exists (
    select from users u
    where (u.owner_id, u.is_test, u.id) = (here.owner_id, here.is_test, anonymous_id) and is_anonymous(u));
end $$;

-- Gives an anonymous user the address, if no other user of that owner and mode has it, and ends the sessions it had without one. Returns
-- false if another user has the address.
create function set_email(anonymous_id uuid, address text) returns boolean language plpgsql as $$
begin
  update users u set email = address where u.id = anonymous_id;
  update purchases p set buyer_email = null
  from members m
  where m.user_id = anonymous_id and (p.paywall_id, p.user_id) = (m.paywall_id, m.user_id) and p.buyer_email is not null;
  perform end_sessions(anonymous_id);
  return true;
exception when unique_violation then
  return false; -- another call has just created a user with the address
end $$;
