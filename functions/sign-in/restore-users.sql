-- Restores what anonymous users have bought: a user who verifies, by a mailed code, the address that the buyer gave the processor gets
-- everything that the anonymous user has. Until then the address is unverified, and buying with it grants nothing.

-- The anonymous users who have bought on a paywall with an address: the first ten only, because anybody can create more.
create function restorable_users(paywall_id text, address text) returns setof uuid language plpgsql stable as $$
begin
  return query
    select p.user_id
    from purchases p join users u on u.id = p.user_id
    where p.paywall_id = restorable_users.paywall_id and p.buyer_email = address and p.begun
      and is_anonymous(u)
    group by p.user_id order by min(p.created_at), p.user_id limit 10;
end $$;

-- Locks the rows of those users, of the address's user and of the anonymous user whose token came with the call, in the order of their ids:
-- concurrent sign-ins and merges of one of them wait here, before they lock any member. Returns those that are still anonymous then, except
-- the token's, which signs in by itself.
create function lock_restorable(paywall_id text, address text, anonymous_id uuid) returns uuid[]
language plpgsql as $$
declare
  here constant record := paywall_scope(paywall_id);
  ids constant uuid[] := array(select restorable_users(paywall_id, address));
begin
  perform from users u
  where u.id = any (ids || anonymous_id) or (u.owner_id, u.is_test, u.email) = (here.owner_id, here.is_test, address)
  order by u.id for no key update;
  return array(
    select u.id from users u
    where u.id = any (ids) and u.id is distinct from anonymous_id and is_anonymous(u) and not is_merged(u.id));
end $$;

-- Merges locked anonymous users into the user who has verified the address, who is locked or new. Their own `meta` is dropped: it may be a
-- stranger's. Returns the number of queued deliveries.
create function restore_users(anonymous_ids uuid[], known_id uuid) returns integer language plpgsql as $$
declare
  anonymous_id uuid;
  queued integer := 0;
begin
  foreach anonymous_id in array anonymous_ids loop
    update members m set buyer_meta = '{}' where m.user_id = anonymous_id;
    queued := queued + merge_users(anonymous_id, known_id);
  end loop;
  return queued;
end $$;
