-- Bringing back what anonymous users have bought: whoever proves the address that a buyer gave the processor, by a mailed code, gets
-- what that anonymous member has. Nobody has proven that address before, so to have bought with it gives nobody anything.

-- The anonymous users of a paywall who have bought with an address: the ten who did so first, because anybody can make more of them.
create function restorable_members(paywall_id text, address text) returns setof uuid language plpgsql stable as $$
begin
  return query
    select p.user_id
    from purchases p join users u on u.id = p.user_id
    where p.paywall_id = restorable_members.paywall_id and p.buyer_email = address and p.begun and u.email is null
    group by p.user_id order by min(p.created_at), p.user_id limit 10;
end $$;

-- Locks the rows of those users, and of the anonymous user whose token came with the call, in the order of their ids: whoever else
-- signs in one of them waits here, before it has locked any member. Gives those that are still anonymous then, but not the one of
-- the token, which signs in by itself.
create function lock_restorable(paywall_id text, address text, anonymous_id uuid) returns uuid[] language plpgsql as $$
declare
  ids constant uuid[] := array(select restorable_members(paywall_id, address));
begin
  perform from users u where u.id = any (ids || anonymous_id) order by u.id for no key update;
  return array(
    select m.user_id from members m join users u on u.id = m.user_id
    where m.paywall_id = lock_restorable.paywall_id and m.user_id = any (ids)
      and m.user_id is distinct from anonymous_id and m.merged_into is null and u.email is null);
end $$;

-- Merges anonymous members, whose users are locked, into the user who has proven the address. What they wrote into their own `meta`
-- stays behind: it may be a stranger's.
create function restore_members(paywall_id text, anonymous_ids uuid[], known_id uuid) returns void language plpgsql as $$
declare
  anonymous_id uuid;
begin
  foreach anonymous_id in array anonymous_ids loop
    update members m set meta = '{}' where (m.paywall_id, m.user_id) = (restore_members.paywall_id, anonymous_id);
    perform merge_member(paywall_id, anonymous_id, known_id);
  end loop;
end $$;
