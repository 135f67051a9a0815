-- Replies of balance changes that came with an Idempotency-Key, for 24 hours.

-- Locks a key of a paywall until the end of the transaction, and gives what a call that used it before decides for this
-- one: its reply, or that the key was used for another request. Null: the key is free, and the change is this call's to make.
create function find_reply(paywall_id text, idempotency_key uuid, request_hash text) returns jsonb language plpgsql as $$
declare
  earlier balance_replies;
begin
  -- A row that is not there yet cannot be locked, so the key itself is: the second of two calls waits for the first one's reply.
  perform pg_advisory_xact_lock(hashtextextended('balance reply ' || paywall_id || ' ' || idempotency_key, 0));
  select * into earlier from balance_replies r
  where r.paywall_id = find_reply.paywall_id and r.idempotency_key = find_reply.idempotency_key
    and r.created_at > now() - interval '24 hours';
  if not found then return null; end if;
  if earlier.request_hash <> request_hash then return verdict('key_reused'); end if;
  return jsonb_build_object('verdict', 'replayed', 'reply', earlier.reply, 'queued', 0);
end $$;

-- Keeps a reply under its key, if there is one. A reply that is a day old makes room.
create function keep_reply(paywall_id text, idempotency_key uuid, request_hash text, reply jsonb) returns void
language plpgsql as $$
begin
  if idempotency_key is null then return; end if;
  insert into balance_replies as r (paywall_id, idempotency_key, request_hash, reply)
  values (paywall_id, idempotency_key, request_hash, reply)
  on conflict on constraint balance_replies_pkey do update
  set request_hash = excluded.request_hash, reply = excluded.reply, created_at = now();
end $$;
