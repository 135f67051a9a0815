-- Gives a webhook endpoint a new secret, which is encrypted. The old one signs, too, for 24 hours, as after `paywall apply`. A secret that is
-- in the paywall file is not rotated here: the next `apply` would set the one in the file again. Nor is one whose predecessor still signs:
-- that one would be lost, and the owner's backend may still verify with it. Verdicts: `rotated` with `previous_secret_until`;
-- `unknown_endpoint`, also if `url` is not its URL, for which the secret is encrypted; `secret_in_file`; `rotating`. Who may do it is decided
-- by the caller. Takes the lock of `apply` and `rekey` (lockOwner in cli/apply/apply.ts), which would otherwise write back the secret that they
-- have read.
create function rotate_webhook_secret(owner_id uuid, is_test boolean, endpoint_id text, url text, secret text) returns jsonb
language plpgsql as $$
declare
  overlap constant interval := '24 hours';
  endpoint webhook_endpoints;
begin
  perform pg_advisory_xact_lock(hashtextextended('paywall apply ' || o.email, 0)) from owners o where o.id = rotate_webhook_secret.owner_id;
  select * into endpoint from webhook_endpoints w
  where w.id = as_uuid(endpoint_id) and w.owner_id = rotate_webhook_secret.owner_id and w.is_test = rotate_webhook_secret.is_test
    and w.url = rotate_webhook_secret.url;
  if not found then return verdict('unknown_endpoint'); end if;
  if not endpoint.is_secret_generated then return verdict('secret_in_file'); end if;
  if endpoint.previous_secret_until > now() then return verdict('rotating'); end if;
  update webhook_endpoints w
  set secret = rotate_webhook_secret.secret, previous_secret = w.secret, previous_secret_until = now() + overlap, held_until = null
  where w.id = endpoint.id;
  return verdict('rotated') || jsonb_build_object('previous_secret_until', iso(now() + overlap));
end $$;
