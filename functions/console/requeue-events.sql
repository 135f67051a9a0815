-- Sends an owner's events again: one, by `event_id`, or those of one mode from `since` up to `until`, if `failed_only` only those whose
-- delivery has failed. To the webhook endpoint `endpoint_id`, or to all that are enabled; in either case to those that subscribe to the
-- event's type, or got it before. A call replays a limited number of events;
-- `next_since` continues where it ended, null at the end. Locks the members in order, then the deliveries. Verdicts: `done`;
-- `unknown_event`; `unknown_endpoint`. Who may do it is decided by the caller.
--
-- A delivery keeps its place among those about its member: it is sent before later ones that are still pending.
create function requeue_events(
  owner_id uuid, is_test boolean, event_id text, endpoint_id text, since text, until text, failed_only boolean
) returns jsonb language plpgsql
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  most constant integer := 1000;
  endpoints constant uuid[] := array(
    select w.id from webhook_endpoints w
    where w.owner_id = requeue_events.owner_id and w.is_test = requeue_events.is_test
      and case when endpoint_id is null then w.disabled_at is null else w.id = as_uuid(endpoint_id) end);
  chosen events[];
  replayed bigint;
begin
  if endpoint_id is not null and cardinality(endpoints) = 0 then return verdict('unknown_endpoint'); end if;
  chosen := array(
    select e from events e
    where e.owner_id = requeue_events.owner_id and e.is_test = requeue_events.is_test
      and (event_id is null or e.id = event_id)
      and e.created_at >= coalesce(since::timestamptz, '-infinity') and e.created_at < coalesce(until::timestamptz, 'infinity')
      and (not failed_only or exists (
        select from deliveries d where d.event_id = e.id and d.endpoint_id = any (endpoints) and d.state = 'failed'))
    order by e.created_at, e.id limit most);
  if event_id is not null and cardinality(chosen) = 0 then return verdict('unknown_event'); end if;

  perform from members m
  where (m.paywall_id, m.user_id) in (select e.paywall_id, e.user_id from unnest(chosen) e)
  order by m.paywall_id, m.user_id for no key update;
  replayed := queue_again(chosen, endpoints, failed_only);
  return verdict('done') || jsonb_build_object('replayed', replayed,
    'next_since', case when cardinality(chosen) = most then iso(chosen[most].created_at) end);
end $$;

-- Makes the deliveries of events to webhook endpoints pending again, or adds them. Of each member's pending deliveries at an endpoint only
-- the first is due then. Returns how many are sent again. The members must be locked.
create function queue_again(chosen events[], endpoints uuid[], failed_only boolean) returns bigint language plpgsql as $$
declare
  queued bigint;
  head record;
begin
  insert into deliveries as d (event_id, endpoint_id, paywall_id, user_id, sequence, next_attempt_at)
  select e.id, w.id, e.paywall_id, e.user_id, e.sequence, case when e.user_id is null then now() end
  from unnest(chosen) e join webhook_endpoints w on w.id = any (endpoints)
  left join deliveries before on (before.event_id, before.endpoint_id) = (e.id, w.id)
  where case when failed_only then before.state = 'failed' else subscribes(w.events, e.type) or before.event_id is not null end
  on conflict (event_id, endpoint_id) do update
  set state = 'pending', attempts = 0, next_attempt_at = excluded.next_attempt_at, last_status = null, last_error = null, finished_at = null
  where d.state <> 'pending';
  get diagnostics queued = row_count;

  for head in
    select p.endpoint_id, p.paywall_id, p.user_id, min(p.sequence) as sequence
    from deliveries p
    where p.state = 'pending' and p.endpoint_id = any (endpoints)
      and (p.paywall_id, p.user_id) in (select e.paywall_id, e.user_id from unnest(chosen) e)
    group by p.endpoint_id, p.paywall_id, p.user_id
  loop
    update deliveries d set next_attempt_at = null
    where (d.endpoint_id, d.paywall_id, d.user_id) = (head.endpoint_id, head.paywall_id, head.user_id)
      and d.state = 'pending' and d.holder is null and d.sequence > head.sequence;
    perform make_first_due(head.endpoint_id, head.paywall_id, head.user_id);
  end loop;
  return queued;
end $$;
