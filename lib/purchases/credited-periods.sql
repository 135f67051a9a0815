-- The tokens of a price are credited once per paid period.

-- Credits the tokens of a covered period, and with a trial `trial_count`, once per member. Returns the ledger rows. The member's row must
-- be locked. The snapshot's `price_covered` says that the current price is paid for, which is false while a change of plan is unpaid;
-- `changed_in_period` says that both prices are paid for.
create function credit_tokens(
  before purchases, after purchases, checkout checkouts, snapshot jsonb
) returns ledger[] language plpgsql as $$
declare
  is_covered constant boolean := after.interval is null or after.paid_period_start = after.current_period_start;
  price_covered constant boolean := (snapshot ->> 'price_covered')::boolean;
  credits ledger[] := '{}';
begin
  if after.paid_period_start is null or not is_covered then return credits; end if;
  if after.status = 'trialing' then return credit_trial(before, after); end if;
  if after.status not in ('active', 'past_due', 'paused') then return credits; end if;
  if not price_covered or (snapshot ->> 'changed_in_period')::boolean then credits := credit_price_before(before, after, checkout); end if;
  if price_covered and after.unmatched_from is null then credits := credits || credit_period(after); end if;
  return credits;
end $$;

create function credit_trial(before purchases, after purchases) returns ledger[] language plpgsql as $$
begin
  if after.unmatched_from is not null or before.paid_period_start is not null
    or has_other_trial(after.paywall_id, after.user_id, after.id) then return '{}'; end if;
  return credit_each(after, 'trial', (
    select coalesce(jsonb_object_agg(t ->> 'type', unit_tokens((t ->> 'trial_count')::bigint, after.quantity)), '{}')
    from prices p, jsonb_array_elements(p.tokens) t where p.id = after.price_id and t ? 'trial_count'));
end $$;

-- Credits the difference to the highest credit in the period. A period that begins before the last credited one has ended is the same one,
-- so switching plans back and forth never credits twice, also between month and year. A change that brings no additional tokens
-- credits nothing and does not extend the credited period: a user who switched to a year without tokens and back gets those of the next month.
create function credit_period(p purchases) returns ledger[] language plpgsql as $$
declare
  owner constant uuid := (select paywall.owner_id from paywalls paywall where paywall.id = p.paywall_id);
  starts_at constant timestamptz := coalesce(p.current_period_start, p.paid_period_start);
  brought constant jsonb := tokens_a_period((select price from prices price where price.id = p.price_id), p.quantity);
  last constant credited_periods := last_credited_period(owner, p.id);
  more jsonb;
begin
  if last.starts_at is null or not is_same_period(last, starts_at) then
    insert into credited_periods (owner_id, purchase_id, starts_at, ends_at, price_id, quantity, credited)
    values (owner, p.id, starts_at, p.current_period_end, p.price_id, p.quantity, brought);
    return credit_each(p, 'plan', brought);
  end if;
  if (last.price_id, last.quantity) = (p.price_id, p.quantity) then return '{}'; end if;
  more := (
    select coalesce(jsonb_object_agg(b.key, b.value::bigint), '{}')
    from jsonb_each_text(brought) b where b.value::bigint > coalesce((last.credited ->> b.key)::bigint, 0));
  update credited_periods c set price_id = p.price_id, quantity = p.quantity, credited = c.credited || more,
    ends_at = case when more = '{}' then c.ends_at else p.current_period_end end
  where (c.owner_id, c.purchase_id, c.starts_at) = (last.owner_id, last.purchase_id, last.starts_at);
  return credit_each(p, 'plan', (
    select coalesce(jsonb_object_agg(m.key, m.value::bigint - coalesce((last.credited ->> m.key)::bigint, 0)), '{}')
    from jsonb_each_text(more) m));
end $$;

-- Credits a period that was paid for before a change of plan, if both are reported at once: the previous price brings its tokens, and the
-- difference of the new one follows once the change is paid. The previous price is the one that the purchase had, or that its page sold; if
-- the change was known before the payment, it is the one that was credited last.
create function credit_price_before(before purchases, after purchases, checkout checkouts) returns ledger[] language plpgsql as $$
declare
  last constant credited_periods := last_credited_period(
    (select paywall.owner_id from paywalls paywall where paywall.id = after.paywall_id), after.id);
begin
  if after.paid_period_start = before.paid_period_start then return '{}'; end if;
  if last.starts_at is not null and is_same_period(last, after.paid_period_start) then return '{}'; end if;
  if not is_plan_changed(before, after, checkout) then
    after.price_id := coalesce(last.price_id, checkout.price_id);
    after.quantity := coalesce(last.quantity, checkout.quantity);
  elsif before.unmatched_from is not null then
    return '{}';
  else
    after.price_id := coalesce(before.price_id, checkout.price_id);
    after.quantity := coalesce(before.quantity, checkout.quantity);
  end if;
  after.current_period_end := end_at_price(after, (select price from prices price where price.id = after.price_id));
  return credit_period(after);
end $$;

-- Credits periods of a subscription that were paid just now and have not been credited yet, such as one that was still owed when the next
-- began. Which period each of the new payments pays for is in the facts.
create function credit_late_periods(p purchases, noted payments[], facts jsonb) returns ledger[] language plpgsql as $$
declare
  rows ledger[] := '{}';
  fact jsonb;
begin
  if p.interval is null or p.status not in ('active', 'past_due', 'paused') then return rows; end if;
  for fact in
    select f from jsonb_array_elements(facts) f
    where f ->> 'kind' = 'succeeded' and f ? 'period_from'
      and exists (select from unnest(noted) n where (n.kind, n.fact_id) = ('succeeded', f ->> 'id'))
    order by f ->> 'period_from'
  loop
    rows := rows || credit_late_period(
      p, (fact ->> 'period_from')::timestamptz, fact ->> 'processor_price', coalesce((fact ->> 'quantity')::bigint, p.quantity),
      (find_payment(p, coalesce(fact ->> 'payment_id', fact ->> 'id'))).payment_id);
  end loop;
  return rows;
end $$;

create function credit_late_period(
  p purchases, starts_at timestamptz, paid_price text, paid_quantity bigint, paid_by uuid
) returns ledger[] language plpgsql as $$
declare
  owner constant uuid := (select paywall.owner_id from paywalls paywall where paywall.id = p.paywall_id);
  until constant timestamptz := starts_at + period_length(p.interval, p.interval_count);
  early constant interval := longest_early_charge(starts_at, until);
  price prices;
  brought jsonb;
begin
  if exists (
    select from credited_periods c
    where (c.owner_id, c.purchase_id) = (owner, p.id)
      and c.starts_at < until - early and coalesce(c.ends_at > credit_late_period.starts_at + early, true))
  then return '{}'; end if;
  p.processor_price := paid_price;
  price := price_charged(p);
  if price.id is null then return '{}'; end if;
  brought := tokens_a_period(price, paid_quantity);
  insert into credited_periods (owner_id, purchase_id, starts_at, ends_at, price_id, quantity, credited, paid_by)
  values (owner, p.id, credit_late_period.starts_at, until, price.id, paid_quantity, brought, credit_late_period.paid_by);
  return credit_each(p, 'plan', brought);
end $$;

create function last_credited_period(owner_id uuid, purchase_id uuid) returns credited_periods language plpgsql stable as $$
begin
  return (
    select c from credited_periods c
    where (c.owner_id, c.purchase_id) = (last_credited_period.owner_id, last_credited_period.purchase_id)
    order by c.starts_at desc limit 1);
end $$;

-- Whether a period is the same as the last credited one.
create function is_same_period(last credited_periods, starts_at timestamptz) returns boolean language plpgsql stable as $$
begin
  return last.ends_at is null or starts_at = last.starts_at
    or starts_at < last.ends_at - longest_early_charge(last.starts_at, last.ends_at);
end $$;

-- How long before the end of a period the next one may be charged and may begin.
create function longest_early_charge(starts_at timestamptz, ends_at timestamptz) returns interval language sql immutable as $$
  select least(interval '1 day', (ends_at - starts_at) / 4)
$$;

-- The tokens that a quantity of a price brings per period, by type.
create function tokens_a_period(price prices, quantity bigint) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_object_agg(t ->> 'type', unit_tokens((t ->> 'count')::bigint, quantity)), '{}')
    from jsonb_array_elements(price.tokens) t);
end $$;

-- The tokens of several units. The processor may report any quantity: no balance holds more than the largest one.
create function unit_tokens(count bigint, quantity bigint) returns bigint language sql immutable as $$
  select least(count::numeric * quantity, largest_balance())::bigint
$$;

-- Credits tokens of several types, in the order of the types. A credit that would exceed the largest balance is reduced.
create function credit_each(p purchases, reason text, counts jsonb) returns ledger[] language plpgsql as $$
declare
  credits ledger[] := '{}';
  tokens record;
  room bigint;
begin
  for tokens in select t.key as type, t.value::bigint as count from jsonb_each_text(counts) t order by t.key loop
    room := largest_balance() - coalesce((
      select b.count from balances b where (b.paywall_id, b.user_id, b.type) = (p.paywall_id, p.user_id, tokens.type)), 0);
    continue when room = 0 or tokens.count = 0;
    credits := credits || move_tokens(p.paywall_id, p.user_id, tokens.type, least(tokens.count, room), reason, p.id::text);
  end loop;
  return credits;
end $$;
