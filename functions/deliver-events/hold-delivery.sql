-- Gives back the lease of a delivery that could not be signed, because no key decrypts its webhook endpoint's secret. No attempt was made,
-- so none is counted: the delivery stays due. The webhook endpoint is held: nothing is leased there for half a minute. So the cron, which
-- runs every minute, tries one delivery of it, however many are pending, until the key is configured or the secret is encrypted again. Does
-- nothing if `holder` has lost the lease.
create function hold_delivery(event_id text, endpoint_id uuid, holder uuid, attempts integer) returns jsonb
language plpgsql security definer set enable_seqscan = off as $$
declare
  pause constant interval := '30 seconds';
begin
  update deliveries d set
    attempts = d.attempts - 1,
    locked_until = null,
    holder = null,
    last_error = 'the signing secret cannot be opened'
  where d.event_id = hold_delivery.event_id and d.endpoint_id = hold_delivery.endpoint_id
    and d.holder = hold_delivery.holder and d.attempts = hold_delivery.attempts and d.state = 'pending';
  if not found then return to_jsonb(false); end if;
  update webhook_endpoints e set held_until = now() + pause where e.id = hold_delivery.endpoint_id;
  return to_jsonb(true);
end $$;
