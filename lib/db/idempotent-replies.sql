-- Replies to calls with an Idempotency-Key whose change is one database call, such as a credit. A reply is stored in the transaction of the
-- change.

-- The verdict of an earlier call with the key: `replayed` with its reply, or `key_reused` if it was another request. Null: the key is
-- unused, and this call makes the change. Locks the key.
create function find_reply(paywall_id text, idempotency_key uuid, request_hash text) returns jsonb language plpgsql as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  earlier idempotent_replies;
begin
  perform lock_idempotency_key('reply', paywall_id, idempotency_key);
  select * into earlier from idempotent_replies r
  where r.paywall_id = find_reply.paywall_id and r.idempotency_key = find_reply.idempotency_key
    and r.created_at > present - idempotency_window();
  if not found then return null; end if;
  if earlier.request_hash <> request_hash then return verdict('key_reused'); end if;
  return verdict('replayed') || jsonb_build_object('reply', earlier.reply, 'queued', 0);
end $$;

-- Stores a reply under its key, if there is one, replacing an expired one.
create function keep_reply(paywall_id text, idempotency_key uuid, request_hash text, reply jsonb) returns void
language plpgsql as $$
begin
  if idempotency_key is null then return; end if;
  insert into idempotent_replies as r (paywall_id, idempotency_key, request_hash, reply, created_at)
  values (paywall_id, idempotency_key, request_hash, reply, paywall_now(paywall_id))
  on conflict on constraint idempotent_replies_pkey do update
  set request_hash = excluded.request_hash, reply = excluded.reply, created_at = excluded.created_at;
end $$;
