-- Gives an anonymous member's purchases, checkouts, balances, tickets and meta to a known member, and ends the anonymous one:
-- nothing finds it any more, and its sessions are over. Both members' rows are locked first, in the order of their ids:
-- whoever writes about the anonymous one waits, and then finds `merged_into`.
create function merge_member(paywall_id text, anonymous_id uuid, known_id uuid) returns void language plpgsql as $$
begin
  perform from members m where m.paywall_id = merge_member.paywall_id and m.user_id in (anonymous_id, known_id)
  order by m.user_id for no key update;

  update members into_member
  set meta = from_member.meta || into_member.meta, open_session = coalesce(from_member.open_session, into_member.open_session)
  from members from_member
  where (from_member.paywall_id, from_member.user_id) = (merge_member.paywall_id, anonymous_id)
    and (into_member.paywall_id, into_member.user_id) = (merge_member.paywall_id, known_id);
  update members m set merged_into = known_id where (m.paywall_id, m.user_id) = (merge_member.paywall_id, anonymous_id);

  update checkouts c set user_id = known_id where (c.paywall_id, c.user_id) = (merge_member.paywall_id, anonymous_id);
  update purchases p set user_id = known_id, buyer_email = null
  where (p.paywall_id, p.user_id) = (merge_member.paywall_id, anonymous_id);
  update tickets t set user_id = known_id where (t.paywall_id, t.user_id) = (merge_member.paywall_id, anonymous_id);
  perform end_sessions(paywall_id, anonymous_id);
  perform merge_balances(paywall_id, anonymous_id, known_id);
end $$;

-- Empties the anonymous member's balances. Only what was credited moves, or what is left of that: daily top-ups stay behind,
-- since a known member has its own, and anonymous ones cost nothing to make. Both members' rows must be locked.
create function merge_balances(paywall_id text, anonymous_id uuid, known_id uuid) returns void language plpgsql as $$
declare
  balance balances;
  credited bigint;
  known_count bigint;
begin
  for balance in
    select * from balances b
    where b.paywall_id = merge_balances.paywall_id and b.user_id = anonymous_id order by b.type
  loop
    -- Whoever once had tokens of a type has that type, though none are left of it (contract section 4.8).
    insert into balances (paywall_id, user_id, type, count) values (paywall_id, known_id, balance.type, 0)
    on conflict on constraint balances_pkey do nothing;
    continue when balance.count = 0;

    select coalesce(sum(l.delta), 0) into credited from ledger l
    where (l.paywall_id, l.user_id, l.type) = (balance.paywall_id, anonymous_id, balance.type)
      and l.delta > 0 and l.reason <> 'top_up';
    select b.count into known_count from balances b
    where (b.paywall_id, b.user_id, b.type) = (balance.paywall_id, known_id, balance.type);
    credited := least(credited, balance.count, largest_balance() - known_count);

    perform move_tokens(paywall_id, anonymous_id, balance.type, -balance.count, 'merge', known_id::text);
    if credited > 0 then
      perform move_tokens(paywall_id, known_id, balance.type, credited, 'merge', anonymous_id::text);
    end if;
  end loop;
end $$;
