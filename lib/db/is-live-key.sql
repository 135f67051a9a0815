-- Whether an owner key opens anything at all. Asked where a request is faulty: an owner whose key was revoked is told
-- that first, and not of the fault.
create function is_live_key(key_hash text) returns jsonb language plpgsql stable security definer as $$
begin
  return to_jsonb(exists (
    select from api_keys k where k.key_hash = is_live_key.key_hash and k.revoked_at is null));
end $$;
