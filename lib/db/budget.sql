-- What strangers could use up, such as mails or pages at a processor, is given out in budgets: so much in a window of time.
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
