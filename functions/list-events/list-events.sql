-- Lists the events of an owner's test paywalls for a test key, and of its live ones for a live key: those after the position `after`, or
-- all that are kept.
--
-- An event has no position when it is stored, because a transaction that began earlier may commit later. Positions are given here, to
-- what has been committed, under a lock of the owner: so no event ever gets a position before one that was listed. A position is the time
-- at which it was given, in microseconds: they grow even if the database is moved, or restored to an earlier time.
create function list_events(key_hash text, count integer, after bigint default null) returns jsonb
language plpgsql security definer
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  commits_within constant interval := '1 hour'; -- a transaction
  kept_since constant timestamptz := now() - events_are_kept();
  key api_keys;
  listed events[];
begin
  select * into key from api_keys k where k.key_hash = list_events.key_hash and k.revoked_at is null;
  if key.id is null then return verdict('unknown_key'); end if;
  if has_lost_events(key.owner_id, key.is_test, after, kept_since, commits_within) then
    return verdict('cursor_expired') || jsonb_build_object('oldest', to_position(kept_since + commits_within));
  end if;
  after := coalesce(after, to_position(kept_since));

  perform position_events(key.owner_id, key.is_test, kept_since, count + 1);
  listed := array(
    select e from events e
    where e.owner_id = key.owner_id and e.is_test = key.is_test and e.position > after
    order by e.position limit count + 1);
  return verdict('listed') || jsonb_build_object(
    'events', (select coalesce(jsonb_agg(e.body order by e.position), '[]') from unnest(listed[:count]) e),
    'next', coalesce((select max(e.position) from unnest(listed[:count]) e), after),
    'has_more', cardinality(listed) > count);
end $$;

-- How long events are listed. Then their bodies are redacted: see redact-old-events.sql.
create function events_are_kept() returns interval language sql immutable as $$ select interval '30 days' $$;

create function to_position(at timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from at) * 1000000)::bigint
$$;

-- Whether a reader that has seen everything up to `after` has missed an event that is no longer kept: one that was listed, or one that was
-- not listed in time. The latter may have been stored before `after` and committed later. False if there is no `after`.
create function has_lost_events(
  owner_id uuid, is_test boolean, after bigint, kept_since timestamptz, commits_within interval
) returns boolean language plpgsql stable as $$
declare
  seen_until constant timestamptz := to_timestamp(after / 1000000.0) - commits_within;
begin
  return after < to_position(kept_since) and exists (
    select from events e
    where e.owner_id = has_lost_events.owner_id and e.is_test = has_lost_events.is_test
      and e.position > after and e.position <= to_position(kept_since)
  ) or exists (
    select from events e
    where e.owner_id = has_lost_events.owner_id and e.is_test = has_lost_events.is_test and e.position is null
      and e.created_at > seen_until and e.created_at <= kept_since);
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
