-- Balances and their ledger. A caller that changes one must have locked the member's row, so that what is read here is still true when it
-- is written.

-- 2^53 - 1: larger integers are not exact in JSON.
create function largest_balance() returns bigint language sql immutable as $$ select 9007199254740991 $$;

-- The token types of a paywall (contract section 2, `tokenization_queries`).
create function token_types(settings jsonb, out type text, out daily_limit bigint) returns setof record
language sql immutable as $$
  select q ->> 'type', (q ->> 'daily_limit')::bigint
  from jsonb_array_elements(coalesce(settings -> 'tokenization_queries', '[]')) q
$$;

-- Adds `delta` to a balance, which is created if it is new, and writes the ledger row: a balance equals the sum of its rows. Returns that
-- row.
create function move_tokens(
  paywall_id text, user_id uuid, type text, delta bigint, reason text, reference text default null
) returns ledger language plpgsql as $$
declare
  entry ledger;
  count_after bigint;
begin
  update balances b set count = b.count + delta
  where (b.paywall_id, b.user_id, b.type) = (move_tokens.paywall_id, move_tokens.user_id, move_tokens.type)
  returning b.count into count_after;
  if not found then
    insert into balances (paywall_id, user_id, type, count) values (paywall_id, user_id, type, delta);
    count_after := delta;
  end if;
  insert into ledger as l (paywall_id, user_id, type, delta, count_after, reason, reference, at)
  values (paywall_id, user_id, type, delta, count_after, reason, reference, paywall_now(paywall_id)) returning l.* into entry;
  return entry;
end $$;

-- The token types whose daily top-up is due for a member: not topped up yet on this UTC day, and not part of anything that the member pays
-- for. A trial does not count as paid, and a charge that no price of the paywall file matches brings no tokens.
create function due_top_ups(paywall_id text, user_id uuid, settings jsonb, out type text, out daily_limit bigint)
returns setof record language plpgsql stable as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  today constant date := (present at time zone 'utc')::date;
begin
  return query
  select t.type, t.daily_limit from token_types(settings) t
  left join balances b on (b.paywall_id, b.user_id, b.type) = (due_top_ups.paywall_id, due_top_ups.user_id, t.type)
  where t.daily_limit is not null and coalesce(b.topped_up_on < today, true)
    and not exists (
      select from purchases p join prices price on price.id = p.price_id
      where p.paywall_id = due_top_ups.paywall_id and p.user_id = due_top_ups.user_id
        and coalesce(p.unmatched_from > present, true)
        and price.tokens @> jsonb_build_array(jsonb_build_object('type', t.type)) and is_paying(p, present))
  order by t.type;
end $$;

-- Raises each balance whose top-up is due, and which is below its daily limit, to that limit, in the order of the types. Returns the ledger
-- rows.
--
-- The day is that of the start of the transaction. A call that began before midnight may wait for one that began after it, and then finds
-- balances that were topped up on a later day than its own: those stay unchanged.
create function top_up(paywall_id text, user_id uuid, settings jsonb) returns setof ledger language plpgsql as $$
declare
  today constant date := paywall_utc_day(paywall_id);
  tokens record;
  balance_count bigint;
begin
  for tokens in select * from due_top_ups(paywall_id, user_id, settings) loop
    insert into balances as b (paywall_id, user_id, type, count, topped_up_on)
    values (paywall_id, user_id, tokens.type, 0, today)
    on conflict on constraint balances_pkey do update set topped_up_on = today
      where coalesce(b.topped_up_on < today, true)
    returning b.count into balance_count;
    if balance_count < tokens.daily_limit then -- null if this type was topped up already
      return next move_tokens(paywall_id, user_id, tokens.type, tokens.daily_limit - balance_count, 'top_up');
    end if;
  end loop;
end $$;

-- A member's balances as the API shows them, by type. Token types without a balance are 0.
create function balances_json(paywall_id text, user_id uuid, settings jsonb) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('type', each.type, 'count', each.count) order by each.type), '[]')
    from (
      select b.type, b.count from balances b
      where b.paywall_id = balances_json.paywall_id and b.user_id = balances_json.user_id
      union all
      select t.type, 0 from token_types(settings) t
      where not exists (
        select from balances b
        where (b.paywall_id, b.user_id, b.type) = (balances_json.paywall_id, balances_json.user_id, t.type))
    ) each);
end $$;
