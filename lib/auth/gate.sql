-- The gates: who calls, which paywall the call is about, and whether the caller may act there (contract section 5). Each returns `refusal`,
-- null if the caller is admitted, and the columns of the paywall that its callers need.

-- Finds a paywall by its id at a host: on a paywall's own domain no other paywall exists. All null if it is not found. Returns single
-- columns and not the row, whose layout and texts may be large.
create function find_paywall(
  paywall_id text, host text, out id text, out owner_id uuid, out is_test boolean, out settings jsonb
) language plpgsql stable as $$
begin
  select p.id, p.owner_id, p.is_test, p.settings into id, owner_id, is_test, settings
  from paywalls p
  where p.id = paywall_id
    and not exists (select from paywalls other where other.domain = host and other.id <> paywall_id);
end $$;

-- Authorises an owner by the SHA-256 of its key. A test key cannot access a live paywall (`test_key`), nor a live key a test one
-- (`live_key`).
create function open_owner_gate(
  key_hash text, paywall_id text, host text, out refusal text, out owner_id uuid, out is_test boolean, out settings jsonb
) language plpgsql stable as $$
declare
  key api_keys;
  paywall record;
begin
  select * into key from api_keys k where k.key_hash = open_owner_gate.key_hash and k.revoked_at is null;
  paywall := find_paywall(paywall_id, host);
  refusal := case
    when key.id is null then 'unknown_key'
    when paywall.id is null then 'unknown_paywall'
    when paywall.owner_id <> key.owner_id then 'not_owner'
    when key.is_test and not paywall.is_test then 'test_key'
    when paywall.is_test and not key.is_test then 'live_key' end;
  owner_id := paywall.owner_id;
  is_test := paywall.is_test;
  settings := paywall.settings;
end $$;

-- Authorises a user by the payload of a verified token: the user's id, the session, and the audience (`token_audience`), which is the owner
-- and the mode. Refuses a token of another owner's user or of the other mode, one of a session that has ended, and one of a user who was
-- erased or merged into another one.
create function open_user_gate(
  token_user_id uuid, token_audience text, token_session_id uuid, paywall_id text, host text,
  out refusal text, out owner_id uuid, out is_test boolean, out settings jsonb
) language plpgsql stable as $$
declare
  paywall record;
  audience_of_user constant text := (
    select audience(u.owner_id, u.is_test) from users u join sign_in_sessions s on s.user_id = u.id
    where u.id = token_user_id and u.erased_at is null and s.id = token_session_id and s.ended_at is null);
  audience_here text;
begin
  paywall := find_paywall(paywall_id, host);
  audience_here := audience(paywall.owner_id, paywall.is_test);
  refusal := case
    when audience_of_user is null or is_merged(token_user_id) then 'unknown_user'
    when paywall.id is null then 'unknown_paywall'
    when audience_of_user <> audience_here or token_audience <> audience_here then 'unknown_user' end;
  owner_id := paywall.owner_id;
  is_test := paywall.is_test;
  settings := paywall.settings;
end $$;

-- The audience of an access token: an owner's test paywalls, or its live ones.
create function audience(owner_id uuid, is_test boolean) returns text language sql immutable as $$
  select owner_id::text || case when is_test then ':test' else ':live' end
$$;

-- Authorises an owner if `key_hash` is given, else the user of a token.
create function open_gate(
  key_hash text, token_user_id uuid, token_audience text, token_session_id uuid, paywall_id text, host text,
  out refusal text, out owner_id uuid, out is_test boolean, out settings jsonb
) language plpgsql stable as $$
begin
  if key_hash is not null then
    select * into refusal, owner_id, is_test, settings from open_owner_gate(key_hash, paywall_id, host);
  else
    select * into refusal, owner_id, is_test, settings
    from open_user_gate(token_user_id, token_audience, token_session_id, paywall_id, host);
  end if;
end $$;
