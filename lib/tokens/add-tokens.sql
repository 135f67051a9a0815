-- Adds `delta` tokens of a type to a member's balance; a negative `delta` debits. Shared by balances and withdraw-tokens. The member's row
-- must be locked. The daily top-up is applied with the change: it counts towards what can be debited, and a refused change writes nothing,
-- not even the top-up.
--
-- `refusal` is `insufficient` if the balance would go below 0, `too_much` if it would reach 2^53, and null if it was changed; `count` is
-- the new balance or, if refused, what could have been debited; `queued` is the number of deliveries that this call has queued.
create function add_tokens(
  owner_id uuid, paywall_id text, user_id uuid, settings jsonb, type text, delta bigint,
  out refusal text, out count bigint, out queued integer
) language plpgsql as $$
declare
  daily_limit constant bigint := (
    select t.daily_limit from due_top_ups(paywall_id, user_id, settings) t where t.type = add_tokens.type);
  entry ledger;
begin
  queued := 0;
  select b.count into count from balances b
  where (b.paywall_id, b.user_id, b.type) = (add_tokens.paywall_id, add_tokens.user_id, add_tokens.type);
  count := greatest(coalesce(count, 0), daily_limit);
  refusal := case when count + delta < 0 then 'insufficient' when count + delta > largest_balance() then 'too_much' end;
  if refusal is not null then return; end if;

  for entry in select * from top_up(paywall_id, user_id, settings) loop
    queued := queued + emit_balance_event(owner_id, entry);
  end loop;
  entry := move_tokens(paywall_id, user_id, type, delta, case when delta > 0 then 'credit' else 'debit' end);
  count := entry.count_after;
  queued := queued + emit_balance_event(owner_id, entry);
end $$;
