-- Lists the events of an owner's test paywalls for a test key, and of its live ones for a live key: those after the position `after`, or the
-- oldest that are kept.
--
-- An event has no position when it is stored, because a transaction that began earlier may commit later. Positions are given here, to
-- what has been committed, under a lock of the owner: so no event ever gets a position before one that was listed. A position is the time
-- at which it was given, in microseconds: they grow even if the database is moved, or restored to an earlier time.
create function list_events(key_hash text, count integer, after bigint default null) returns jsonb
language plpgsql security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  key api_keys;
  oldest bigint;
  listed events[];
begin
  select * into key from api_keys k where k.key_hash = list_events.key_hash and k.revoked_at is null;
  if key.id is null then return verdict('unknown_key'); end if;
  oldest := last_redacted_position(key.owner_id, key.is_test);
  if after < oldest then return verdict('cursor_expired') || jsonb_build_object('oldest', oldest); end if;
  after := coalesce(after, oldest, 0);

  perform position_events(key.owner_id, key.is_test, count + 1);
  listed := array(
    select e from events e
    where e.owner_id = key.owner_id and e.is_test = key.is_test and e.position > after
    order by e.position limit count + 1);
  return verdict('listed') || jsonb_build_object(
    'events', (select coalesce(jsonb_agg(e.body order by e.position), '[]') from unnest(listed[:count]) e),
    'next', coalesce((select max(e.position) from unnest(listed[:count]) e), after),
    'has_more', cardinality(listed) > count);
end $$;

-- Gives the oldest events without a position theirs, `count` at most. Locks the owner's row, and the events.
create function position_events(owner_id uuid, is_test boolean, count integer) returns void language plpgsql as $$
declare
  last bigint;
begin
  perform from events e
  where e.owner_id = position_events.owner_id and e.is_test = position_events.is_test and e.position is null
    and e.purge_at is not null limit 1;
  if not found then return; end if;

  perform from owners o where o.id = position_events.owner_id for no key update;
  last := greatest(extract(epoch from clock_timestamp()) * 1000000, (
    select e.position from events e
    where e.owner_id = position_events.owner_id and e.is_test = position_events.is_test and e.position is not null
    order by e.position desc limit 1));
  update events e set position = last + numbered.number
  from (
    select waiting.id, row_number() over (order by waiting.created_at, waiting.sequence) as number
    from (
      select n.id, n.created_at, n.sequence from events n
      where n.owner_id = position_events.owner_id and n.is_test = position_events.is_test and n.position is null
        and n.purge_at is not null
      order by n.created_at, n.sequence limit count) waiting) numbered
  where e.id = numbered.id;
end $$;

-- The position of the latest event whose body was redacted because of its age; null if there is none. An erased user's events are redacted
-- earlier, and stay listed.
create function last_redacted_position(owner_id uuid, is_test boolean) returns bigint language plpgsql stable as $$
declare
  kept constant interval := '30 days';
begin
  return (
    select e.position from events e
    where e.owner_id = last_redacted_position.owner_id and e.is_test = last_redacted_position.is_test
      and e.position is not null and e.purge_at is null and e.created_at < now() - kept
    order by e.position desc limit 1);
end $$;
