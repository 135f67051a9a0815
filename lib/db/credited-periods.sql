-- The tokens of a price: once for each period that is paid for.

-- Credits what a purchase brings that is covered now. With a trial: `trial_count`, once for a member. Returns the ledger rows. The
-- member's row must be locked. `price_covered`: what is paid is the price that it has now, which is false while a change of plan is not
-- paid yet.
create function credit_tokens(before purchases, after purchases, price_covered boolean) returns ledger[] language plpgsql as $$
declare
  is_covered constant boolean := after.interval is null or after.paid_period_start = after.current_period_start;
begin
  if after.paid_period_start is null or not is_covered or after.unnamed_from is not null then return '{}'; end if;
  if after.status = 'trialing' then return credit_trial(before, after); end if;
  if after.status not in ('active', 'past_due') or not price_covered then return '{}'; end if;
  return credit_period(after);
end $$;

create function credit_trial(before purchases, after purchases) returns ledger[] language plpgsql as $$
begin
  if before.paid_period_start is not null or has_other_trial(after.paywall_id, after.user_id, after.id) then return '{}'; end if;
  return credit_each(after, 'trial', (
    select coalesce(jsonb_object_agg(t ->> 'type', t -> 'trial_count'), '{}')
    from prices p, jsonb_array_elements(p.tokens) t where p.id = after.price_id and t ? 'trial_count'));
end $$;

-- Credits what the period exceeds the highest credit in it. A period that begins before the last credited one has ended is the same
-- one: so switching to and fro earns nothing, also from month to year and back. A change that brings nothing more credits nothing, so
-- it does not make the credited period longer: who went to a year without tokens and came back has those of the next month.
create function credit_period(p purchases) returns ledger[] language plpgsql as $$
declare
  owner constant uuid := (select paywall.owner_id from paywalls paywall where paywall.id = p.paywall_id);
  starts_at constant timestamptz := coalesce(p.current_period_start, p.paid_period_start);
  brought constant jsonb := (
    select coalesce(jsonb_object_agg(t ->> 'type', t -> 'count'), '{}')
    from prices price, jsonb_array_elements(price.tokens) t where price.id = p.price_id);
  last credited_periods;
  more jsonb;
begin
  select * into last from credited_periods c
  where (c.owner_id, c.purchase_id) = (owner, p.id) order by c.starts_at desc limit 1;
  if last.starts_at is null or not is_same_period(last, starts_at) then
    insert into credited_periods (owner_id, purchase_id, starts_at, ends_at, price_id, credited)
    values (owner, p.id, starts_at, p.current_period_end, p.price_id, brought);
    return credit_each(p, 'plan', brought);
  end if;
  if last.price_id = p.price_id then return '{}'; end if;
  more := (
    select coalesce(jsonb_object_agg(b.key, b.value::bigint), '{}')
    from jsonb_each_text(brought) b where b.value::bigint > coalesce((last.credited ->> b.key)::bigint, 0));
  update credited_periods c set price_id = p.price_id, credited = c.credited || more,
    ends_at = case when more = '{}' then c.ends_at else p.current_period_end end
  where (c.owner_id, c.purchase_id, c.starts_at) = (last.owner_id, last.purchase_id, last.starts_at);
  return credit_each(p, 'plan', (
    select coalesce(jsonb_object_agg(m.key, m.value::bigint - coalesce((last.credited ->> m.key)::bigint, 0)), '{}')
    from jsonb_each_text(more) m));
end $$;

-- Whether a period is the last credited one. A renewal may be charged a little before its period.
create function is_same_period(last credited_periods, starts_at timestamptz) returns boolean language plpgsql stable as $$
declare
  early constant interval := least(interval '1 day', (last.ends_at - last.starts_at) / 4);
begin
  return last.ends_at is null or starts_at = last.starts_at or starts_at < last.ends_at - early;
end $$;

-- Credits so many tokens of each type, in the order of the types. A balance that would be too large is filled up.
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
