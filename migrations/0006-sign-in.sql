-- A mailed code counts for the call that asked for it: see functions/sign-in/keep-code.sql. The codes of the release before stay
-- in their own table, which its Workers go on using for the minutes of a deploy.
create table mailed_codes (
  request_hash text primary key check (request_hash ~ '^[0-9a-f]{64}$'),
  paywall_id   text not null references paywalls,
  email        text not null check (char_length(email) between 3 and 254),
  code_hash    text not null check (code_hash ~ '^[0-9a-f]{64}$'),
  tries        integer not null default 0,
  restores     boolean not null,
  expires_at   timestamptz not null
);
create index mailed_codes_by_age on mailed_codes (expires_at);

-- The refresh token before the latest one is good for a while more. Sessions of the release before have none.
alter table sign_in_sessions
  add column previous_hash text check (previous_hash ~ '^[0-9a-f]{64}$'),
  add column replaced_at timestamptz;

-- What an anonymous user bought can be found by the address that the buyer gave the processor.
alter table purchases
  add column buyer_email text check (buyer_email = lower(btrim(buyer_email)) and char_length(buyer_email) between 3 and 254);
create index purchases_of_buyer on purchases (paywall_id, buyer_email) where buyer_email is not null;
