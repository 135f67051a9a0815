-- Lists the events of an owner's test paywalls for a test key, and of its live ones for a live key: those after the position `after`, or
-- all that are kept. `read_since` is when the reader began, or last had all events: what was kept then is promised to it. It stays the same
-- from page to page, so that a reader that falls behind is told what it has missed. All are in microseconds.
--
-- An event has no position when it is stored, because a transaction that began earlier may commit later. Positions are given here, to
-- what has been committed, under a lock of the owner: so no event ever gets a position before one that was listed. A position is the time
-- at which it was given: positions grow even if the database is moved, or restored to an earlier time.
--
-- A paywall's own domain shows nothing of other paywalls, and so does not have this list.
create function list_events(
  key_hash text, host text, count integer, after bigint default null, read_since bigint default null
) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  extra constant interval := '1 hour'; -- for whoever begins with the oldest event
  kept_since constant timestamptz := now() - (event_retention() + extra);
  oldest constant bigint := to_position(kept_since + extra);
  key api_keys;
  listed events[];
  has_more boolean;
begin
  select * into key from api_keys k where k.key_hash = list_events.key_hash and k.revoked_at is null;
  if key.id is null then return verdict('unknown_key'); end if;
  if exists (select from paywalls p where p.domain = host) then return verdict('custom_domain'); end if;
  if has_lost_events(key.owner_id, key.is_test, after, to_timestamp(read_since / 1000000.0), kept_since) then
    return verdict('cursor_expired') || jsonb_build_object('oldest', oldest, 'read_since', to_position(now()));
  end if;
  after := coalesce(after, oldest);

  perform position_events(key.owner_id, key.is_test, kept_since, count + 1);
  listed := array(
    select e from events e
    where e.owner_id = key.owner_id and e.is_test = key.is_test and e.position > after
    order by e.position limit count + 1);
  has_more := cardinality(listed) > count;
  return verdict('listed') || jsonb_build_object(
    'events', (select coalesce(jsonb_agg(e.body order by e.position), '[]') from unnest(listed[:count]) e),
    'next', coalesce((select max(e.position) from unnest(listed[:count]) e), after),
    'read_since', case when has_more then coalesce(read_since, to_position(now())) else to_position(now()) end,
    'has_more', has_more);
end $$;

create function to_position(at timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from at) * 1000000)::bigint
$$;

-- Whether a reader has missed an event that is no longer kept: one that was listed after the position `after`, or one that is promised to the
-- reader since `read_since`, and that was not listed in time. The extra hour is not promised: so nothing is missed within an hour. Null or
-- false if there is no cursor.
create function has_lost_events(
  owner_id uuid, is_test boolean, after bigint, read_since timestamptz, kept_since timestamptz
) returns boolean language plpgsql stable as $$
declare
  promised_since constant timestamptz := read_since - event_retention();
begin
  return after < to_position(kept_since) and exists (
    select from events e
    where e.owner_id = has_lost_events.owner_id and e.is_test = has_lost_events.is_test
      and e.position > after and e.position <= to_position(kept_since)
  ) or exists (
    select from events e
    where e.owner_id = has_lost_events.owner_id and e.is_test = has_lost_events.is_test and e.position is null
      and e.created_at > promised_since and e.created_at <= kept_since);
end $$;

-- Gives the oldest events without a position theirs, `count` at most. Locks the owner's row, then the events.
create function position_events(owner_id uuid, is_test boolean, kept_since timestamptz, count integer) returns void language plpgsql as $$
declare
  last bigint;
begin
  perform from events e
  where e.owner_id = position_events.owner_id and e.is_test = position_events.is_test and e.position is null
    and e.created_at > kept_since limit 1;
  if not found then return; end if;

  perform from owners o where o.id = position_events.owner_id for no key update;
  last := greatest(to_position(clock_timestamp()), (
    select e.position from events e
    where e.owner_id = position_events.owner_id and e.is_test = position_events.is_test and e.position is not null
    order by e.position desc limit 1));
  update events e set position = last + numbered.number
  from (
    select waiting.id, row_number() over (order by waiting.created_at, waiting.sequence) as number
    from (
      select n.id, n.created_at, n.sequence from events n
      where n.owner_id = position_events.owner_id and n.is_test = position_events.is_test and n.position is null
        and n.created_at > kept_since
      order by n.created_at, n.sequence limit count) waiting) numbered
  where e.id = numbered.id;
end $$;
