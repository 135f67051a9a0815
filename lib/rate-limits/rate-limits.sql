-- Rate limits of what anonymous callers could exhaust, such as mails or pages at a processor: token buckets, all in one table. A bucket lets
-- `capacity` through at once and refills evenly, from empty to full within `period`. If one caller empties a bucket that several share,
-- the others wait for the next refill and not for a whole period. However long that goes on, no more gets through than is refilled.
--
-- A bucket is a row, so its count is exact across all Workers and locations. A bucket without a row is full.

-- Consumes `amount` from a bucket. Null if it had that much; else how long until it has, and nothing is consumed.
--
-- Locks the bucket's row until the end of the transaction, so that concurrent calls cannot consume more than it has. Consume from the
-- buckets of a user first, then of a network, then of a paywall, so that concurrent calls cannot deadlock.
create function consume(
  name text, key text, amount bigint, capacity bigint, period interval, present timestamptz default now()
) returns interval language plpgsql as $$
begin
  if amount <= capacity then
    insert into rate_limits as l (name, key, consumed, refilled_at) values (name, key, amount, present)
    on conflict on constraint rate_limits_pkey do update set
      consumed = l.consumed - refilled(l, capacity, period, present) + amount,
      refilled_at = case when refilled(l, capacity, period, present) = l.consumed then present
        else l.refilled_at + period * (refilled(l, capacity, period, present)::double precision / capacity) end
    where l.consumed - refilled(l, capacity, period, present) + amount <= capacity;
    if found then return null; end if;
  end if;
  return wait_for_refill(name, key, amount, capacity, period, present);
end $$;

-- How long until consume would let `amount` through; null if it would now. Locks nothing.
create function wait_for_refill(
  name text, key text, amount bigint, capacity bigint, period interval, present timestamptz default now()
) returns interval language plpgsql stable as $$
begin
  if amount > capacity then return period; end if;
  return (
    select greatest(
      l.refilled_at + period * ((l.consumed + amount - capacity)::double precision / capacity) - present, interval '1 second')
    from rate_limits l
    where l.name = wait_for_refill.name and l.key = wait_for_refill.key
      and l.consumed - refilled(l, capacity, period, present) + amount > capacity);
end $$;

-- How much of what was consumed has been refilled since the bucket's row was written.
create function refilled(rate_limit rate_limits, capacity bigint, period interval, present timestamptz) returns bigint
language sql immutable as $$
  select greatest(0, least(rate_limit.consumed,
    floor(extract(epoch from present - rate_limit.refilled_at) * capacity / extract(epoch from period))::bigint))
$$;

-- Puts back what was consumed for something that was refused after all, or did not happen.
create function refund(name text, key text, amount bigint) returns void language plpgsql as $$
begin
  update rate_limits l set consumed = greatest(l.consumed - amount, 0) where l.name = refund.name and l.key = refund.key;
end $$;

-- The key of an e-mail address's rate limit, alone or for calls from one network. `scope`: the paywall's id, or `console`. Text after a `+`
-- usually means the same mailbox, so such addresses count as one. Hashed, so that it has a fixed length and no address is stored that
-- belongs to no user.
create function address_key(scope text, email text, network text default '') returns text language sql stable as $$
  select 'address:' || encode(sha256(convert_to(
    jsonb_build_array(scope, regexp_replace(email, '\+[^@]*@', '@'), network)::text, 'utf8')), 'hex')
$$;

-- The seconds until a call can be repeated, rounded up.
create function retry_after(wait interval) returns jsonb language sql stable as $$
  select jsonb_build_object('retry_after', ceil(extract(epoch from wait))::int)
$$;
