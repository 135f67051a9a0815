-- Sends the test event, `webhook.ping`, to one webhook endpoint, whatever it subscribes to. It is about no user, like an event about a guest.
-- Since every event names a paywall, it names the first one of the owner and mode. Verdicts: `sent` with `event_id`; `unknown_endpoint`;
-- `disabled`; `no_paywall`. Who may do it is decided by the caller.
create function ping_webhook_endpoint(owner_id uuid, is_test boolean, endpoint_id text) returns jsonb language plpgsql as $$
declare
  event_id constant text := new_event_id();
  endpoint webhook_endpoints;
  named text;
begin
  select * into endpoint from webhook_endpoints w
  where w.id = as_uuid(endpoint_id) and w.owner_id = ping_webhook_endpoint.owner_id and w.is_test = ping_webhook_endpoint.is_test;
  if not found then return verdict('unknown_endpoint'); end if;
  if endpoint.disabled_at is not null then return verdict('disabled'); end if;
  select p.id into named from paywalls p
  where p.owner_id = endpoint.owner_id and p.is_test = endpoint.is_test order by p.id limit 1;
  if not found then return verdict('no_paywall'); end if;

  insert into events (id, owner_id, is_test, paywall_id, sequence, type, body)
  values (event_id, endpoint.owner_id, endpoint.is_test, named, 1, 'webhook.ping', event_body(
    event_id, named, endpoint.is_test, jsonb_build_object('id', null, 'email', null, 'external_id', null), 1, 'webhook.ping',
    jsonb_build_object('id', endpoint.id, 'url', endpoint.url), null));
  insert into deliveries (event_id, endpoint_id, paywall_id, sequence, next_attempt_at) values (event_id, endpoint.id, named, 1, now());
  return verdict('sent') || jsonb_build_object('event_id', event_id, 'url', endpoint.url);
end $$;
