-- Adds `delta` tokens of a type to a member's balance; a negative `delta` takes them away. What balances and withdraw-tokens
-- share. The member's row must be locked. The top-up of the day comes first and stays, whatever becomes of the change.
--
-- `refusal` is `insufficient` if the balance would go below 0, `too_much` if it would reach 2^53, and null if it was changed;
-- `count` is what the balance then is; `queued` is how many deliveries this call has queued.
create function change_count(
  owner_id uuid, paywall_id text, user_id uuid, settings jsonb, type text, delta bigint,
  out refusal text, out count bigint, out queued integer
) language plpgsql as $$
declare
  entry ledger;
begin
  queued := 0;
  for entry in select * from top_up(paywall_id, user_id, settings) loop
    queued := queued + tell_balance(owner_id, entry);
  end loop;

  select b.count into count from balances b
  where (b.paywall_id, b.user_id, b.type) = (change_count.paywall_id, change_count.user_id, change_count.type);
  count := coalesce(count, 0);
  refusal := case when count + delta < 0 then 'insufficient' when count + delta > largest_balance() then 'too_much' end;
  if refusal is not null then return; end if;

  entry := move_tokens(paywall_id, user_id, type, delta, case when delta > 0 then 'credit' else 'debit' end);
  count := entry.count_after;
  queued := queued + tell_balance(owner_id, entry);
end $$;
