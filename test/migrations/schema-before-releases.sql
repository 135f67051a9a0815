-- Everything the paywall billing service remembers. Postgres 16 or newer, so Neon as it is.
-- Money is integer minor units, time is timestamptz by the database's clock, e-mails are trimmed and lower-case.
-- An index called `by_age` serves the hourly cron that deletes what has no use any more: functions/forget-expired.

-- Who sells: the account that paywalls, keys and webhook endpoints belong to.
create table owners (
  id         uuid primary key default gen_random_uuid(),
  email      text not null unique check (email = lower(btrim(email)) and char_length(email) between 3 and 254),
  created_at timestamptz not null default now()
);

-- Owner keys (X-Api-Key). Only the SHA-256 is kept: the key itself is shown once and never stored.
create table api_keys (
  id         uuid primary key default gen_random_uuid(),
  owner_id   uuid not null references owners,
  name       text not null check (char_length(name) between 1 and 100),
  key_hash   text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
  is_test    boolean not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index api_keys_live_name on api_keys (owner_id, name) where revoked_at is null;

-- What is sold, as the owner's file describes it. The jsonb columns are public: they are served by bootstrap.
create table paywalls (
  id         text primary key check (id ~ '^[0-9]{1,19}$'),
  owner_id   uuid not null references owners,
  name       text not null check (char_length(name) between 1 and 200),
  is_test    boolean not null,
  domain     text unique check (domain = lower(domain) and char_length(domain) between 3 and 253),
  acquiring  text not null check (acquiring in ('stripe', 'polar', 'chargebee', 'freemius', 'mollie')),
  settings   jsonb not null check (jsonb_typeof(settings) = 'object'),
  geo        jsonb not null check (jsonb_typeof(geo) = 'object'),
  offers     jsonb not null check (jsonb_typeof(offers) = 'array'),
  layout     jsonb not null check (jsonb_typeof(layout) = 'object'),
  locales    jsonb not null check (jsonb_typeof(locales) = 'object'),
  created_at timestamptz not null default now()
);

-- The owner's account at a processor. Kept after a switch, because purchases made there live on.
create table processor_accounts (
  paywall_id  text not null references paywalls,
  acquiring   text not null check (acquiring in ('stripe', 'polar', 'chargebee', 'freemius', 'mollie')),
  credentials text not null check (char_length(credentials) between 1 and 8192), -- AES-GCM, lib/crypto.ts seal
  primary key (paywall_id, acquiring)
);

-- The id is a hash of what is sold, so an edited price is a new row and the old one retires.
create table prices (
  id              text primary key check (id ~ '^price_[0-9a-f]{24}$'),
  paywall_id      text not null references paywalls,
  slug            text not null check (char_length(slug) between 1 and 100),
  label           text not null check (char_length(label) between 1 and 200),
  currency        text not null check (currency ~ '^[A-Z]{3}$'),
  amount          bigint not null check (amount between 0 and 9007199254740991),
  interval        text check (interval in ('day', 'week', 'month', 'year')), -- null: a one-time purchase
  interval_count  integer check (interval_count between 1 and 365),
  trial_days      integer not null check (trial_days between 0 and 730),
  processor_price text not null check (char_length(processor_price) between 1 and 255),
  locals          jsonb not null check (jsonb_typeof(locals) = 'array'), -- [{countries | tier, currency, amount, processor_price}]
  tokens          jsonb not null check (jsonb_typeof(tokens) = 'array'), -- [{type, count}] credited once per paid period
  position        integer not null,
  retired_at      timestamptz,
  check ((interval is null) = (interval_count is null))
);
create unique index prices_on_sale on prices (paywall_id, slug) where retired_at is null;

-- Who buys. One identity over all paywalls; e-mail is null for an anonymous user.
create table users (
  id         uuid primary key default gen_random_uuid(),
  email      text unique check (email = lower(btrim(email)) and char_length(email) between 3 and 254),
  created_at timestamptz not null default now()
);

-- A user who has interacted with a paywall, and what the owner keeps about the user there.
create table members (
  paywall_id       text not null references paywalls,
  user_id          uuid not null references users,
  name             text check (char_length(name) between 1 and 200),
  meta             jsonb not null default '{}' check (jsonb_typeof(meta) = 'object'),
  event_sequence   bigint not null default 0, -- the number of the last event about this member
  open_session     text check (char_length(open_session) <= 300), -- '<acquiring>:<id>' of the one hosted page that may still be paid
  merged_into      uuid references users,     -- an anonymous member that signed in as a known user, who now has all it had
  created_at       timestamptz not null default now(),
  primary key (paywall_id, user_id)
);

-- When the reconcile cron asks what became of a hosted page that nobody told us the end of: 15 minutes after it was opened,
-- then whenever as much time again has passed, for the last time after 4 days. Null: never again.
--
-- These times are generated columns, so that they follow from the row whoever wrote it. Postgres wants them immutable, and
-- with lengths in hours and seconds they are, whatever the time zone.
create function checkout_due(created_at timestamptz, looked_at timestamptz) returns timestamptz language sql immutable
  return case
    when looked_at is null then created_at + interval '15 minutes'
    when looked_at < created_at + interval '96 hours' then created_at + least(
      make_interval(secs => 2 * extract(epoch from looked_at - created_at)::double precision), interval '96 hours')
  end;

-- One hosted checkout: what was asked for, what the processor opened, and whether it was bought. What decides the
-- call to the processor is kept from the first try on, so that a try after a crash repeats it to the letter.
create table checkouts (
  id              uuid primary key,
  paywall_id      text not null,
  user_id         uuid not null,
  price_id        text not null references prices,
  acquiring       text not null check (acquiring in ('stripe', 'polar', 'chargebee', 'freemius', 'mollie')),
  trial_days      integer not null check (trial_days between 0 and 730),
  country         text check (country ~ '^[A-Z]{2}$'),        -- where the buyer is, if that decides the price
  local_currency  text check (local_currency ~ '^[A-Z]{3}$'), -- the currency an owner asked for
  customer        text check (char_length(customer) <= 255),  -- the buyer's id at the processor, if known by then
  success_url     text not null check (char_length(success_url) <= 4096),
  error_url       text not null check (char_length(error_url) <= 4096),
  shop_url        text check (char_length(shop_url) <= 2048), -- where it was begun, as the caller says: the owner is told of it
  return_origin   text not null check (char_length(return_origin) <= 300),
  session_id      text check (char_length(session_id) <= 255), -- the processor's id of the hosted page, once it is open
  url             text check (char_length(url) <= 8192),
  currency        text check (currency ~ '^[A-Z]{3}$'),        -- what the hosted page asked for
  amount          bigint check (amount >= 0),
  completed_at    timestamptz,
  looked_at       timestamptz, -- when the reconcile cron last took it up
  reconcile_at    timestamptz generated always as (checkout_due(created_at, looked_at)) stored,
  created_at      timestamptz not null default now(),
  foreign key (paywall_id, user_id) references members
);
create index checkouts_of_member on checkouts (paywall_id, user_id);
create index checkouts_to_reconcile on checkouts (reconcile_at)
  where session_id is not null and completed_at is null and reconcile_at is not null;

-- Who may open the checkout of an Idempotency-Key: the row that decides a duplicate. `holder` fences a slow attempt
-- out, `leased_until` lets the next one in after a crash, `attempt` makes a new key at the processor after a refusal.
create table checkout_claims (
  paywall_id      text not null references paywalls,
  caller          text not null check (char_length(caller) <= 50), -- 'owner' or 'user:<id>'
  idempotency_key uuid not null,
  request_hash    text not null check (request_hash ~ '^[0-9a-f]{64}$'),
  checkout_id     uuid not null,
  holder          uuid not null,
  leased_until    timestamptz not null,
  attempt         integer not null default 1,
  opened          boolean not null default false, -- the checkout has its url: from now on every try is a replay
  claimed_at      timestamptz not null default now(),
  primary key (paywall_id, caller, idempotency_key)
);
create index checkout_claims_by_age on checkout_claims (claimed_at);

-- When to look, if the processor should have told us something at `since`: after `wait`, then every hour for a day, then
-- daily. `seen` is when we last asked.
create function look_again(since timestamptz, wait interval, seen timestamptz) returns timestamptz
language sql immutable strict
  return case
    when seen < since + wait then since + wait
    when seen < since + interval '24 hours' then seen + interval '1 hour'
    else seen + interval '24 hours'
  end;

-- When the reconcile cron fetches a purchase that is not over: a subscription when its period has ended and we know of no
-- next one, when a period should be paid by now, three days before a trial ends, when it was cancelled here and we have not
-- seen that there, and a week after the last fetch anyway; a one-time payment that is not through, daily for the two weeks
-- that banks take. Null: never.
create function purchase_due(
  status text, recurring boolean, created_at timestamptz, fetched_at timestamptz, seen timestamptz,
  period_end timestamptz, unpaid_since timestamptz, untold_trial_end timestamptz, cancels boolean,
  asked_to_cancel_at timestamptz
) returns timestamptz language sql immutable
  return case
    when status in ('canceled', 'refunded') then null
    when recurring then least(
      look_again(period_end, interval '1 hour', seen),
      case when status <> 'paused' then look_again(unpaid_since, interval '2 hours', seen) end,
      case when status = 'trialing' and not cancels and untold_trial_end is not null
        then look_again(greatest(untold_trial_end - interval '72 hours', created_at), interval '1 hour', seen) end,
      case when not cancels and fetched_at < asked_to_cancel_at + interval '1 minute'
        then look_again(asked_to_cancel_at, interval '10 minutes', seen) end,
      case when status = 'pending' and seen < created_at + interval '336 hours' then seen + interval '24 hours' end,
      look_again(fetched_at, interval '168 hours', seen))
    when status = 'pending' and seen < created_at + interval '336 hours' then seen + interval '24 hours'
  end;

-- A subscription or a one-time purchase, as the processor last said. Written only by lib/db/store-purchase.sql.ts.
create table purchases (
  id                   uuid primary key default gen_random_uuid(),
  paywall_id           text not null,
  user_id              uuid not null,
  checkout_id          uuid not null references checkouts,
  price_id             text not null references prices,
  acquiring            text not null check (acquiring in ('stripe', 'polar', 'chargebee', 'freemius', 'mollie')),
  processor_id         text not null check (char_length(processor_id) <= 255), -- its id of the subscription or payment
  processor_customer   text check (char_length(processor_customer) <= 255),
  status               text not null check (status in ('pending', 'trialing', 'active', 'past_due', 'paused', 'canceled', 'refunded')),
  begun                boolean not null,     -- false until its first payment, or trial; for ever if that payment failed for good
  interval             text check (interval in ('day', 'week', 'month', 'year')),
  interval_count       integer check (interval_count between 1 and 365),
  unit_amount          bigint not null check (unit_amount >= 0),
  currency             text not null check (currency ~ '^[A-Z]{3}$'),
  current_period_start timestamptz,
  current_period_end   timestamptz,
  trial_start          timestamptz,
  trial_end            timestamptz,
  trial_end_told       timestamptz,          -- the end of the trial that the owner was told is about to come
  cancel_at_period_end boolean not null,
  cancel_at            timestamptz,
  canceled_at          timestamptz,
  past_due_since       timestamptz,
  cancel_requested_at  timestamptz,          -- an owner or user asked us to cancel; a request in flight keeps others out
  cancel_accepted_at   timestamptz,          -- the processor took that request: it is not made twice, unless it is undone
  cancellation_reason  text check (char_length(cancellation_reason) <= 1000),
  paid_period_start    timestamptz,          -- start of the last period that was paid or on trial: its tokens are credited
  fetched_at           timestamptz not null, -- the instant before the fetch began: a later fetch always wins
  looked_at            timestamptz,          -- when the reconcile cron last took it up
  reconcile_at         timestamptz generated always as (purchase_due(
    status, interval is not null, created_at, fetched_at, greatest(fetched_at, looked_at),
    least(current_period_end, cancel_at),
    case when current_period_start > paid_period_start or paid_period_start is null then current_period_start end,
    case when trial_end_told is distinct from trial_end then trial_end end,
    cancel_at_period_end, greatest(cancel_requested_at, cancel_accepted_at)
  )) stored,
  previous             jsonb,                -- this row before its last change: what an event is told apart by
  created_at           timestamptz not null default now(),
  unique (paywall_id, acquiring, processor_id),
  foreign key (paywall_id, user_id) references members
);
create index purchases_of_member on purchases (paywall_id, user_id);
create index purchases_to_reconcile on purchases (reconcile_at) where reconcile_at is not null;

-- A time as the API and the events write it: ISO 8601, UTC, milliseconds.
create function iso(at timestamptz) returns text language sql immutable
  return to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- A purchase as the API and the events show it (contract section 2).
create function purchase_json(p purchases) returns jsonb language sql stable
  return jsonb_build_object(
    'id', p.id, 'status', p.status, 'acquiring', p.acquiring,
    'price_id', p.price_id, 'price_slug', (select slug from prices where id = p.price_id),
    'interval', p.interval, 'interval_count', p.interval_count, 'unit_amount', p.unit_amount, 'currency', p.currency,
    'current_period_end', iso(p.current_period_end), 'trial_end', iso(p.trial_end),
    'cancel_at_period_end', p.cancel_at_period_end, 'cancel_at', iso(p.cancel_at), 'canceled_at', iso(p.canceled_at),
    'created_at', iso(p.created_at)
  );

-- Whether a purchase lets its user in now: trialing, active or past_due for at most 7 days, and its period not over.
create function is_paid(p purchases) returns boolean language sql stable
  return (p.status in ('trialing', 'active') or p.status = 'past_due' and p.past_due_since > now() - interval '7 days')
    and coalesce(p.current_period_end > now(), true);

-- Money facts, as the processor's events told them. Append-only, once per payment and kind.
create table payments (
  id                uuid primary key default gen_random_uuid(),
  purchase_id       uuid not null references purchases,
  paywall_id        text not null references paywalls,
  acquiring         text not null check (acquiring in ('stripe', 'polar', 'chargebee', 'freemius', 'mollie')),
  processor_payment text not null check (char_length(processor_payment) <= 255),
  kind              text not null check (kind in ('succeeded', 'failed', 'refunded', 'disputed')),
  amount            bigint not null check (amount >= 0),
  currency          text not null check (currency ~ '^[A-Z]{3}$'),
  occurred_at       timestamptz not null,
  unique (paywall_id, acquiring, kind, processor_payment)
);

-- Inbound webhooks that took effect: a repeat finds its row and does nothing, for ever.
create table processor_events (
  paywall_id  text not null references paywalls,
  acquiring   text not null check (acquiring in ('stripe', 'polar', 'chargebee', 'freemius', 'mollie')),
  event_id    text not null check (char_length(event_id) between 1 and 255),
  received_at timestamptz not null default now(),
  primary key (paywall_id, acquiring, event_id)
);

-- A count per user, paywall and type. Every change writes its ledger row in the same statement.
create table balances (
  paywall_id     text not null,
  user_id        uuid not null,
  type           text not null check (char_length(type) between 1 and 100),
  count          bigint not null check (count between 0 and 9007199254740991),
  previous_count bigint not null,           -- count before the last change, and how much of that change was a daily
  top_up         bigint not null default 0, -- top-up: a statement's RETURNING needs both to write the ledger
  topped_up_on   date,            -- the UTC day of the last daily top-up
  primary key (paywall_id, user_id, type),
  foreign key (paywall_id, user_id) references members
);

-- Why a balance is what it is: a balance equals the sum of its rows.
create table ledger (
  id          bigint generated always as identity primary key,
  paywall_id  text not null,
  user_id     uuid not null,
  type        text not null check (char_length(type) between 1 and 100),
  delta       bigint not null check (delta <> 0),
  count_after bigint not null,
  reason      text not null check (reason in ('top_up', 'plan', 'credit', 'debit', 'merge')),
  reference   text check (char_length(reference) <= 255), -- what caused it, such as the purchase's id
  at          timestamptz not null default now(),
  foreign key (paywall_id, user_id, type) references balances
);
create index ledger_credits on ledger (paywall_id, user_id, type) where delta > 0 and reason <> 'top_up';

-- Replies of balance changes that brought an Idempotency-Key. Its unique key makes the second of two racing changes
-- fail as a whole, so that it is asked again and replayed.
create table balance_replies (
  paywall_id      text not null references paywalls,
  idempotency_key uuid not null,
  request_hash    text not null check (request_hash ~ '^[0-9a-f]{64}$'),
  reply           jsonb not null,
  created_at      timestamptz not null default now(),
  primary key (paywall_id, idempotency_key)
);
create index balance_replies_by_age on balance_replies (created_at);

-- Support tickets; user_id is null for a guest.
create table tickets (
  id             bigint generated always as identity primary key,
  paywall_id     text not null references paywalls,
  user_id        uuid references users,
  customer_email text check (char_length(customer_email) <= 254),
  subject        text not null check (char_length(subject) between 3 and 200),
  content        text not null check (char_length(content) between 1 and 5000),
  status         text not null default 'open' check (status in ('open')),
  created_at     timestamptz not null default now()
);
create index tickets_of_user on tickets (paywall_id, user_id) where user_id is not null;
create index tickets_of_paywall on tickets (paywall_id, id);

-- Images of a ticket. The bytes are in R2 under a random name.
create table ticket_attachments (
  object_key text primary key check (char_length(object_key) between 16 and 200),
  ticket_id  bigint not null references tickets,
  file_name  text not null check (char_length(file_name) <= 255),
  media_type text not null check (media_type in ('image/jpeg', 'image/png', 'image/webp')),
  size       integer not null check (size between 1 and 10485760)
);
create index ticket_attachments_of_ticket on ticket_attachments (ticket_id);

-- When someone's last tickets were opened: the row that decides whether one more is allowed.
create table ticket_quotas (
  paywall_id text not null references paywalls,
  who        text not null check (char_length(who) <= 300), -- 'email:<address>' or 'user:<id>'
  opened     timestamptz[] not null,
  primary key (paywall_id, who)
);
create index ticket_quotas_by_age on ticket_quotas ((opened[cardinality(opened)]));

-- The sign-in code of an e-mail address on a paywall, hashed, and how often it was sent and tried.
create table sign_in_codes (
  paywall_id text not null references paywalls,
  email      text not null check (char_length(email) between 3 and 254),
  code_hash  text not null check (code_hash ~ '^[0-9a-f]{64}$'),
  expires_at timestamptz not null,
  tries      integer not null default 0,
  sent       timestamptz[] not null, -- the times of the last hour's codes
  primary key (paywall_id, email)
);
create index sign_in_codes_by_age on sign_in_codes (expires_at);

-- A user signed in on a paywall, from one sign-in on. Only the latest refresh token's SHA-256 is kept: each is good once
-- and gives the next, and an older one that comes again ends the session, since it must have been stolen or copied.
create table sign_in_sessions (
  id         uuid primary key,
  paywall_id text not null,
  user_id    uuid not null,
  token_hash text not null check (token_hash ~ '^[0-9a-f]{64}$'),
  expires_at timestamptz not null,
  ended_at   timestamptz,
  created_at timestamptz not null default now(),
  foreign key (paywall_id, user_id) references members
);
create index sign_in_sessions_of_member on sign_in_sessions (paywall_id, user_id);
create index sign_in_sessions_by_age on sign_in_sessions (least(ended_at, expires_at));

-- Where an owner wants to be told. `previous_secret` signs too until its hour comes, so that a rotation loses nothing.
create table webhook_endpoints (
  id                    uuid primary key default gen_random_uuid(),
  owner_id              uuid not null references owners,
  url                   text not null check (char_length(url) between 8 and 2048),
  secret                text not null check (char_length(secret) between 1 and 1024), -- AES-GCM, lib/crypto.ts seal
  previous_secret       text check (char_length(previous_secret) between 1 and 1024),
  previous_secret_until timestamptz,
  events                text[] not null check (cardinality(events) between 1 and 50),
  disabled_at           timestamptz,
  created_at            timestamptz not null default now(),
  unique (owner_id, url)
);

-- The outbox: what happened, written in the statement that made it happen. The bytes stored are the bytes signed.
create table events (
  id         text primary key check (id ~ '^evt_[0-9a-f]{32}$'),
  paywall_id text not null references paywalls,
  user_id    uuid, -- null: a guest, who is no member and whose events stand in no order
  sequence   bigint not null,
  type       text not null check (char_length(type) between 1 and 50),
  body       text not null check (char_length(body) <= 262144),
  created_at timestamptz not null default now(),
  unique (paywall_id, user_id, sequence),
  foreign key (paywall_id, user_id) references members
);

-- One event to one endpoint. A delivery waits for the earlier ones about the same member.
create table deliveries (
  event_id        text not null references events,
  endpoint_id     uuid not null references webhook_endpoints,
  paywall_id      text not null,
  user_id         uuid,
  sequence        bigint not null,
  state           text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  locked_until    timestamptz,
  holder          uuid,    -- the consumer that has the lease
  last_status     integer, -- the endpoint's last HTTP status; null if it gave none
  last_error      text check (char_length(last_error) <= 500),
  finished_at     timestamptz,
  primary key (event_id, endpoint_id)
);
create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where state = 'pending';
create index deliveries_in_order on deliveries (endpoint_id, paywall_id, user_id, sequence) where state = 'pending';
create index deliveries_by_age on deliveries (finished_at) where state = 'delivered';

-- Gives an anonymous member's purchases, checkouts, balances, tickets and meta to a known member, and ends the anonymous
-- one: nothing finds it any more, and its sign-ins are over. Both members' rows are locked first, in the order of their
-- ids; whoever writes about the anonymous one waits, and then finds `merged_into`.
--
-- A function because it must look after it has locked: in one plain statement all parts see the rows as they were before
-- it waited, and a purchase stored meanwhile would stay behind. In a function each statement sees what is there by then.
create function merge_member(paywall text, anonymous uuid, known uuid) returns void language plpgsql as $$
begin
  perform from members where paywall_id = paywall and user_id in (anonymous, known)
  order by user_id for no key update;

  update members into_member set
    meta = from_member.meta || into_member.meta,
    open_session = coalesce(from_member.open_session, into_member.open_session)
  from members from_member
  where (from_member.paywall_id, from_member.user_id) = (paywall, anonymous)
    and (into_member.paywall_id, into_member.user_id) = (paywall, known);
  update members set merged_into = known where (paywall_id, user_id) = (paywall, anonymous);

  update checkouts set user_id = known where (paywall_id, user_id) = (paywall, anonymous);
  update purchases set user_id = known where (paywall_id, user_id) = (paywall, anonymous);
  update tickets set user_id = known where (paywall_id, user_id) = (paywall, anonymous);
  update sign_in_sessions set ended_at = now()
  where (paywall_id, user_id) = (paywall, anonymous) and ended_at is null;

  -- Only what was credited moves, or what is left of that. Daily top-ups stay behind: a known member has its own, and
  -- anonymous ones cost nothing to make.
  with taken as (
    update balances set count = 0, previous_count = count, top_up = 0
    where (paywall_id, user_id) = (paywall, anonymous)
    returning *
  ), given as (
    insert into balances as b (paywall_id, user_id, type, count, previous_count)
    select paywall, known, t.type, least(previous_count, credited), 0
    from taken t, lateral (
      select coalesce(sum(delta), 0) as credited from ledger l
      where (l.paywall_id, l.user_id, l.type) = (paywall, anonymous, t.type) and delta > 0 and reason <> 'top_up'
    ) earlier
    order by t.type
    on conflict (paywall_id, user_id, type) do update set
      count = least(b.count + excluded.count, 9007199254740991), previous_count = b.count, top_up = 0
    returning *
  )
  insert into ledger (paywall_id, user_id, type, delta, count_after, reason, reference)
  select paywall_id, user_id, type, count - previous_count, count, 'merge',
    (case user_id when known then anonymous else known end)::text
  from (select * from taken union all select * from given) changed
  where count <> previous_count;
end $$;

-- The user of a proven e-mail address, linked to the paywall; made, if there is none. If an anonymous user of the paywall
-- brought the address (null: none did) it becomes that user, or gives all it has to the user that the address has.
-- `called` is the user's name on that paywall, if one is given.
create function sign_in(paywall text, address text, anonymous uuid, called text default null) returns users language plpgsql as $$
declare
  signed_in users;
  is_anonymous boolean;
begin
  -- First the anonymous user: whoever else signs it in waits here, and then finds it known or merged.
  perform from users where id = anonymous and email is null for no key update;
  is_anonymous := exists (
    select from users u join members m on m.user_id = u.id
    where u.id = anonymous and u.email is null and m.paywall_id = paywall and m.merged_into is null
  );
  if is_anonymous and not exists (select from users where email = address) then
    begin
      update users set email = address where id = anonymous returning * into signed_in;
      update sign_in_sessions set ended_at = now()
      where (paywall_id, user_id) = (paywall, anonymous) and ended_at is null;
      return signed_in;
    exception when unique_violation then
      null; -- somebody made the address a user this very moment: that user it is
    end;
  end if;

  insert into users (email) values (address)
  on conflict (email) do update set created_at = users.created_at returning * into signed_in;
  insert into members (paywall_id, user_id) values (paywall, signed_in.id) on conflict do nothing;
  update members set name = called where (paywall_id, user_id) = (paywall, signed_in.id) and name is distinct from called
    and called is not null;
  if is_anonymous then
    perform merge_member(paywall, anonymous, signed_in.id);
  end if;
  return signed_in;
end $$;
