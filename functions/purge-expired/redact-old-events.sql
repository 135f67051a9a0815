-- Removes personal data from events that are 30 days old, at most `count` of them: the user's names, and the content of tickets. Returns
-- the number of events checked. An event that is not delivered yet, because its webhook endpoint is disabled, keeps its body and is checked
-- again a day later. Locked rows are skipped. Uses the index events_by_age.
create function redact_old_events(count integer) returns bigint language plpgsql
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  pause constant interval := '1 day';
  due text[];
  waiting text[]; -- those of them that are not delivered yet
begin
  due := array(
    select e.id from events e where e.purge_at <= now() order by e.purge_at limit count for update skip locked);
  waiting := array(select d.event_id from deliveries d where d.event_id = any (due) and d.state = 'pending');
  update events e set purge_at = now() + pause where e.id = any (waiting);
  update events e set body = redacted_event(e.body), purge_at = null
  where e.id = any (due) and e.id <> all (waiting);
  return cardinality(due);
end $$;

-- An event's body without personal data: our ids of the user and of one merged into it stay, and a ticket's id, status and date. The caller's
-- `shop_url` of a checkout, the receipt of a payment and the reasons of a grant are removed, too. Every field still exists, as the API's
-- document says. `paywall users erase` uses it as well.
create function redacted_event(body text) returns text language plpgsql immutable as $$
declare
  event constant jsonb := body;
  data jsonb := event -> 'data';
begin
  if data ? 'user' then
    data := jsonb_set(data, '{user}',
      jsonb_build_object('id', data #> '{user,id}', 'email', null, 'external_id', null));
  end if;
  if data ? 'merged_user' then
    data := jsonb_set(data, '{merged_user}',
      jsonb_build_object('id', data #> '{merged_user,id}', 'email', null, 'external_id', null));
  end if;
  if data ? 'ticket' then
    data := jsonb_set(data, '{ticket}',
      (data -> 'ticket') || '{"subject": "", "content": "", "customer_email": null, "attachments": []}');
  end if;
  if data ? 'checkout' then data := jsonb_set(data, '{checkout,shop_url}', 'null'); end if;
  if data ? 'grant' then
    data := jsonb_set(data, '{grant}', (data -> 'grant') || '{"reason": null, "end_reason": null}');
  end if;
  if data ? 'payment' then data := jsonb_set(data, '{payment,receipt_url}', 'null'); end if;
  return json_build_object(
    'id', event -> 'id', 'type', event -> 'type', 'timestamp', event -> 'timestamp', 'is_test', event -> 'is_test',
    'data', data)::text;
end $$;
