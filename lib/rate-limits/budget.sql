-- What strangers could use up, such as mails or pages at a processor, is given out in budgets: so much in a window of time, or so
-- much at once that then comes back little by little.
-- A budget is a row, so it is exact, whichever Worker and place the calls come through.

-- Takes `amount` from what `who` may have within `period`. Null if it was there, else how long until the window ends, and
-- nothing is taken. The first call after a window begins the next one.
--
-- Locks the budget's row until the end of the transaction, so that of many calls at once no more are served than the budget
-- has. Take from the budget of a user first, then of a network, then of a paywall: calls then never wait for each other in a
-- circle, and whoever has used up its own share takes nothing from a wider one.
create function take_from_budget(what text, who text, amount bigint, most bigint, period interval) returns interval
language plpgsql as $$
declare
  window_end timestamptz;
begin
  if amount > most then return period; end if;
  insert into budgets as b (what, who, window_start, taken) values (what, who, now(), amount)
  on conflict on constraint budgets_pkey do update set
    window_start = case when b.window_start <= now() - period then now() else b.window_start end,
    taken = case when b.window_start <= now() - period then amount else b.taken + amount end
  where b.window_start <= now() - period or b.taken + amount <= most;
  if found then return null; end if;
  select b.window_start + period into window_end
  from budgets b where b.what = take_from_budget.what and b.who = take_from_budget.who;
  return greatest(window_end - now(), interval '1 second');
end $$;

-- Takes one of what a network may have: `most` at once, and as many within `period`, which come back one by one. So where it is used
-- up by somebody who shares the network, everybody else in it waits for the next one and not for a whole period; and however long it
-- goes on, no more is taken than if all came back at the end of each. Null, or how long until the next one is back.
--
-- Locks the budget's row, as take_from_budget does. Its `window_start` is the moment since which nothing has come back.
create function take_from_network(what text, network text, most bigint, period interval) returns interval
language plpgsql as $$
declare
  pause constant interval := period / most;
begin
  insert into budgets as b (what, who, window_start, taken) values (what, 'network:' || network, now(), 1)
  on conflict on constraint budgets_pkey do update set
    window_start = case when came_back(b, pause) = b.taken then now() else b.window_start + came_back(b, pause) * pause end,
    taken = b.taken - came_back(b, pause) + 1
  where b.taken - came_back(b, pause) < most;
  return case when not found then network_wait(what, network, most, period) end;
end $$;

-- How long it takes until take_from_network would take one; null if it would now. Locks nothing.
create function network_wait(what text, network text, most bigint, period interval) returns interval
language plpgsql stable as $$
declare
  pause constant interval := period / most;
begin
  return (
    select greatest(b.window_start + (came_back(b, pause) + 1) * pause - now(), interval '1 second')
    from budgets b
    where b.what = network_wait.what and b.who = 'network:' || network and b.taken - came_back(b, pause) >= most);
end $$;

-- How much of what was taken from a budget is back, if one comes back after each `pause`.
create function came_back(budget budgets, pause interval) returns bigint language sql stable as $$
  select greatest(0, least(budget.taken, floor(extract(epoch from now() - budget.window_start) / extract(epoch from pause))::bigint))
$$;

-- Gives back what the same transaction has taken: what it was taken for is refused after all.
create function give_back(what text, who text, amount bigint) returns void language plpgsql as $$
begin
  update budgets b set taken = b.taken - amount where b.what = give_back.what and b.who = give_back.who;
end $$;
