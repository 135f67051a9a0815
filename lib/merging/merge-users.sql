-- Moves everything that a user has on its owner's paywalls to another user of that owner and mode. The first user is then gone: its tokens are
-- refused on every paywall, its sessions have ended, and its id refers to the other, who becomes a member wherever the first one was. Users of
-- different owners or modes cannot be merged: the members' foreign keys do not allow it.
--
-- The other user keeps its e-mail address and external id, or gets those of the first if it has none. Emits `user.merged` on each paywall
-- where the first was a member. Returns the number of queued deliveries; 0 if it was merged before, since nothing changes then.
--
-- Both users' rows must be locked, in the order of their ids. Locks their members of the same paywalls, in the order of paywalls and users:
-- concurrent writers for one of them wait, and then see `merged_into`.
create function merge_users(from_id uuid, into_id uuid) returns integer language plpgsql as $$
declare
  merged_user constant jsonb := event_user(from_id);
  merged members[];
  member members;
  queued integer := 0;
begin
  insert into members (paywall_id, user_id, owner_id, is_test)
  select m.paywall_id, into_id, m.owner_id, m.is_test from members m where m.user_id = from_id order by m.paywall_id
  on conflict on constraint members_pkey do nothing;
  perform from members m
  where m.user_id in (from_id, into_id) and m.paywall_id in (select f.paywall_id from members f where f.user_id = from_id)
  order by m.paywall_id, m.user_id for no key update;

  merged := array(select m from members m where m.user_id = from_id and m.merged_into is null order by m.paywall_id);
  foreach member in array merged loop
    perform merge_member(member.paywall_id, from_id, into_id);
  end loop;
  perform move_names(from_id, into_id); -- after merge_member, which keeps the address, and before the events, which show it
  foreach member in array merged loop
    queued := queued + emit_event(
      member.owner_id, member.paywall_id, into_id, 'user.merged', merged_user, merged_user_id => from_id);
  end loop;
  update members m set merged_into = into_id where m.merged_into = from_id; -- users merged into the first one earlier
  perform end_sessions(from_id);
  return queued;
end $$;

-- Moves a user's e-mail address and external id to another user, unless that has its own: those become available again.
create function move_names(from_id uuid, into_id uuid) returns void language plpgsql as $$
declare
  named users;
begin
  select * into named from users u where u.id = from_id and (u.email is not null or u.external_id is not null);
  if not found then return; end if;
  update users u set email = null, external_id = null where u.id = from_id;
  update users u
  set email = coalesce(u.email, named.email), external_id = coalesce(u.external_id, named.external_id) where u.id = into_id;
end $$;

-- Moves a member's purchases, checkouts, grants, balances, tickets and meta to the other user's member on the same paywall. Both members'
-- rows must be locked.
create function merge_member(paywall_id text, from_id uuid, into_id uuid) returns void language plpgsql as $$
declare
  had_trial constant boolean := has_other_trial(paywall_id, into_id, null); -- before the other purchases move
begin
  update members into_member
  set meta = from_member.meta || into_member.meta, buyer_meta = from_member.buyer_meta || into_member.buyer_meta,
    name = coalesce(into_member.name, from_member.name)
  from members from_member
  where (from_member.paywall_id, from_member.user_id) = (merge_member.paywall_id, from_id)
    and (into_member.paywall_id, into_member.user_id) = (merge_member.paywall_id, into_id);
  update members m set merged_into = into_id where (m.paywall_id, m.user_id) = (merge_member.paywall_id, from_id);

  -- Processors without metadata report a sale by the address that its page was opened with.
  update checkouts c set user_id = into_id, former_email = coalesce(c.former_email, opener.email) from users opener
  where (c.paywall_id, c.user_id) = (merge_member.paywall_id, from_id) and opener.id = from_id;
  update purchases p set user_id = into_id, buyer_email = null where (p.paywall_id, p.user_id) = (merge_member.paywall_id, from_id);
  update grants g set user_id = into_id where (g.paywall_id, g.user_id) = (merge_member.paywall_id, from_id);
  update tickets t set user_id = into_id where (t.paywall_id, t.user_id) = (merge_member.paywall_id, from_id);
  perform merge_balances(paywall_id, from_id, into_id, had_trial);
end $$;

-- Moves a member's balances to the other's. Only credited tokens move, or what is left of them. Daily top-ups are dropped, since the other
-- member has its own, and anonymous users cost nothing to create. So are the tokens of a trial if the other member had a trial of its own.
-- Both members' rows must be locked.
create function merge_balances(paywall_id text, from_id uuid, into_id uuid, had_trial boolean) returns void
language plpgsql as $$
declare
  balance balances;
  credited bigint;
  into_count bigint;
begin
  for balance in
    select * from balances b
    where b.paywall_id = merge_balances.paywall_id and b.user_id = from_id order by b.type
  loop
    -- A member that once had tokens of a type keeps the type, even with a balance of 0 (contract section 4.8).
    insert into balances (paywall_id, user_id, type, count) values (paywall_id, into_id, balance.type, 0)
    on conflict on constraint balances_pkey do nothing;
    continue when balance.count = 0;

    select coalesce(sum(l.delta), 0) into credited from ledger l
    where (l.paywall_id, l.user_id, l.type) = (balance.paywall_id, from_id, balance.type)
      and l.delta > 0 and l.reason <> 'top_up' and not (had_trial and l.reason = 'trial');
    select b.count into into_count from balances b
    where (b.paywall_id, b.user_id, b.type) = (balance.paywall_id, into_id, balance.type);
    credited := least(credited, balance.count, largest_balance() - into_count);

    perform move_tokens(paywall_id, from_id, balance.type, -balance.count, 'merge', into_id::text);
    if credited > 0 then
      perform move_tokens(paywall_id, into_id, balance.type, credited, 'merge', from_id::text);
    end if;
  end loop;
end $$;
