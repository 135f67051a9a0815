-- Whether an owner key, or a session of the console in its place, is valid. Called if a request is malformed: an invalid key is reported
-- before the malformed field.
create function is_live_key(key_hash text) returns jsonb language plpgsql stable security definer as $$
begin
  return to_jsonb(exists (
    select from api_keys k where k.key_hash = is_live_key.key_hash and k.revoked_at is null
    union all
    select from console_sessions s where s.token_hash = key_hash and s.expires_at > now()));
end $$;
