-- Takes the person out of events that are 30 days old, at most `count` of them: its names, and what a ticket says. Gives
-- how many events it looked at. One that is not delivered yet, as its webhook endpoint is disabled, keeps its bytes and comes
-- up again a day later. What somebody has locked stays for now. Served by the index events_by_age.
create function redact_old_events(count integer) returns bigint language plpgsql
set enable_seqscan = off -- a query plan that was made while the table was empty must not read all of it later
as $$
declare
  pause constant interval := '1 day';
  due text[];
  waiting text[]; -- of these, those that are not delivered yet
begin
  due := array(
    select e.id from events e where e.purge_at <= now() order by e.purge_at limit count for update skip locked);
  waiting := array(select d.event_id from deliveries d where d.event_id = any (due) and d.state = 'pending');
  update events e set purge_at = now() + pause where e.id = any (waiting);
  update events e set body = redacted_event(e.body), purge_at = null
  where e.id = any (due) and e.id <> all (waiting);
  return cardinality(due);
end $$;

-- An event's body without the person whom it is about: our id of the user stays, and of a ticket its id, status and date. What
-- a caller said of the shop that a checkout was begun at goes, too. Every field is still there, as the API's document says.
-- `paywall users erase` uses it as well.
create function redacted_event(body text) returns text language plpgsql immutable as $$
declare
  event constant jsonb := body;
  data jsonb := event -> 'data';
begin
  if data ? 'user' then
    data := jsonb_set(data, '{user}',
      jsonb_build_object('id', data #> '{user,id}', 'email', null, 'external_id', null));
  end if;
  if data ? 'ticket' then
    data := jsonb_set(data, '{ticket}',
      (data -> 'ticket') || '{"subject": "", "content": "", "customer_email": null, "attachments": []}');
  end if;
  if data ? 'checkout' then data := jsonb_set(data, '{checkout,shop_url}', 'null'); end if;
  return json_build_object(
    'id', event -> 'id', 'type', event -> 'type', 'timestamp', event -> 'timestamp', 'is_test', event -> 'is_test',
    'data', data)::text;
end $$;
