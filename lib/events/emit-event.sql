-- The outbox: events for the owner's backend, written in the transaction of the change itself, so that neither exists without the other.
-- emit_event, emit_guest_event and emit_balance_event return the number of queued deliveries.

-- Whether a webhook endpoint subscribes to a type of event. `balance.changed` must be subscribed to by name; `webhook.ping` is sent to one
-- webhook endpoint whatever it subscribes to.
create function subscribes(selectors text[], type text) returns boolean language sql immutable as $$
  select type = any (selectors) or '*' = any (selectors) and type not in ('balance.changed', 'webhook.ping')
$$;

-- The owner's webhook endpoints that subscribe to a type of event of a paywall: those of the paywall's mode.
create function webhook_endpoints_for(owner_id uuid, paywall_id text, type text) returns setof uuid language sql stable as $$
  select e.id from webhook_endpoints e
  where e.owner_id = webhook_endpoints_for.owner_id and e.disabled_at is null
    and e.is_test = (select p.is_test from paywalls p where p.id = paywall_id)
    and subscribes(e.events, webhook_endpoints_for.type)
$$;

-- Emits an event about a member, whose row must be locked: that row numbers the member's events without gaps or duplicates. `object` is the
-- current state of what the event is about, `previous` its state before; null if there was none. `merged_user_id` is for `user.merged`
-- only: the event is delivered after those about that user.
create function emit_event(
  owner_id uuid, paywall_id text, user_id uuid, type text, object jsonb, previous jsonb default null, merged_user_id uuid default null
) returns integer language plpgsql as $$
declare
  event_id constant text := new_event_id();
  number bigint;
begin
  update members m set event_sequence = m.event_sequence + 1
  where m.paywall_id = emit_event.paywall_id and m.user_id = emit_event.user_id returning m.event_sequence into number;

  insert into events (id, owner_id, is_test, paywall_id, user_id, sequence, type, body)
  select event_id, p.owner_id, p.is_test, p.id, emit_event.user_id, number, emit_event.type,
    event_body(event_id, p.id, p.is_test, event_user(user_id), number, emit_event.type, object, previous)
  from paywalls p where p.id = paywall_id;
  return queue_deliveries(owner_id, event_id, paywall_id, user_id, number, type, merged_user_id);
end $$;

-- A user as events show it.
create function event_user(user_id uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object('id', u.id, 'email', u.email, 'external_id', u.external_id)
    from users u where u.id = event_user.user_id);
end $$;

-- Emits an event about a guest. A guest is no member, since anybody can write an address: the event has `user: {id: null, email,
-- external_id: null}` and the sequence number 1, and is delivered without waiting for an earlier one.
create function emit_guest_event(owner_id uuid, paywall_id text, email text, type text, object jsonb)
returns integer language plpgsql as $$
declare
  event_id constant text := new_event_id();
begin
  insert into events (id, owner_id, is_test, paywall_id, sequence, type, body)
  select event_id, p.owner_id, p.is_test, p.id, 1, emit_guest_event.type, event_body(event_id, p.id, p.is_test,
    jsonb_build_object('id', null, 'email', email, 'external_id', null), 1, emit_guest_event.type, object, null)
  from paywalls p where p.id = paywall_id;
  return queue_deliveries(owner_id, event_id, paywall_id, null, 1, type);
end $$;

create function new_event_id() returns text language sql volatile as $$
  select 'evt_' || replace(gen_random_uuid()::text, '-', '')
$$;

-- The body that is stored, signed and sent.
create function event_body(
  event_id text, paywall_id text, is_test boolean, event_user jsonb, number bigint, type text, object jsonb, previous jsonb
) returns text language plpgsql stable as $$
begin
  return json_build_object(
    'id', event_id, 'type', type, 'timestamp', iso(paywall_now(paywall_id)), 'is_test', is_test,
    'data', jsonb_build_object(
      'paywall_id', paywall_id, 'user', event_user, 'sequence', number,
      case type when 'user.merged' then 'merged_user' else split_part(type, '.', 1) end, object
    ) || case when previous is null then '{}' else jsonb_build_object('previous', previous) end)::text;
end $$;

-- Queues an event for each webhook endpoint that subscribes to its type.
create function queue_deliveries(
  owner_id uuid, event_id text, paywall_id text, user_id uuid, number bigint, type text, merged_user_id uuid default null
) returns integer language plpgsql as $$
declare
  queued integer;
begin
  insert into deliveries (event_id, endpoint_id, paywall_id, user_id, sequence, merged_user_id, next_attempt_at)
  select event_id, webhook_endpoint, paywall_id, user_id, number, merged_user_id,
    case when not has_pending_delivery(webhook_endpoint, paywall_id, user_id)
      and (merged_user_id is null or not has_pending_delivery(webhook_endpoint, paywall_id, merged_user_id)) then now() end
  from webhook_endpoints_for(owner_id, paywall_id, type) webhook_endpoint;
  get diagnostics queued = row_count;
  return queued;
end $$;

-- Whether an earlier delivery about the member is pending at a webhook endpoint. Locks that delivery's row: a concurrent call that finishes
-- it either has committed, which is visible here, or waits, and then sees the new delivery and makes it due.
create function has_pending_delivery(endpoint_id uuid, paywall_id text, user_id uuid) returns boolean language plpgsql
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
begin
  perform from deliveries d
  where d.endpoint_id = has_pending_delivery.endpoint_id and d.paywall_id = has_pending_delivery.paywall_id
    and d.user_id = has_pending_delivery.user_id and d.state = 'pending'
  order by d.sequence desc limit 1
  for share;
  return found;
end $$;

-- Emits an event about a row of the token ledger, if any webhook endpoint subscribes to it.
create function emit_balance_event(owner_id uuid, entry ledger) returns integer language plpgsql as $$
begin
  if not exists (select from webhook_endpoints_for(owner_id, entry.paywall_id, 'balance.changed')) then return 0; end if;
  return emit_event(owner_id, entry.paywall_id, entry.user_id, 'balance.changed', jsonb_build_object(
    'type', entry.type, 'count', entry.count_after, 'delta', entry.delta, 'reason', entry.reason));
end $$;
