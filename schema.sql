-- All tables of the paywall billing service. Postgres 16 or newer, including Neon.
--
-- Money is integer minor units. Time is timestamptz by the database's clock or, if it concerns what a paywall sells, by the paywall's
-- (lib/db/clock.sql). E-mail addresses are trimmed, lower-case and ASCII, so that no two look alike.
--
-- The primary key of a new table that grows begins with `owner_id`, so that an owner's rows are adjacent and the table can be split by
-- owner. An index called `by_age` serves the cron that deletes or redacts expired rows: functions/purge-expired.
--
-- The order: what is sold, who buys, checkouts and purchases, grants, tokens, support, sign-in, events, releases.

-- The sellers: paywalls, owner keys and webhook endpoints belong to an owner.
create table owners (
  id         uuid primary key default gen_random_uuid(),
  email      text not null unique check (email = lower(btrim(email)) and email ~ '^[!-~]+$' and char_length(email) between 3 and 254),
  created_at timestamptz not null default now(),
  reporting_currency text check (reporting_currency ~ '^[A-Z]{3}$') -- into which `exchange_rates` convert the owner's figures
);

-- The exchange rates of an owner's figures (docs/figures.md): one unit of `currency` is `rate` of the reporting currency from a day on.
create table exchange_rates (
  owner_id   uuid not null references owners,
  currency   text not null check (currency ~ '^[A-Z]{3}$'),
  valid_from date not null,
  rate       numeric not null check (rate > 0),
  primary key (owner_id, currency, valid_from)
);

-- Who may sign in to an owner's console, besides the owner. For what each role permits, see functions/console/open-console.sql.
create table team_members (
  owner_id uuid not null references owners,
  email    text not null check (email = lower(btrim(email)) and email ~ '^[!-~]+$' and char_length(email) between 3 and 254),
  role     text not null check (role in ('admin', 'support', 'viewer')),
  primary key (owner_id, email)
);
create index team_members_by_email on team_members (email);

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

-- The supported processors, with the capabilities of their definitions. `paywall migrate` updates them to those of the release.
create table processors (
  acquiring            text primary key check (char_length(acquiring) between 1 and 50),
  sends_dispute_webhook    boolean not null, -- whether a webhook reports a chargeback
  supports_uncancel boolean not null, -- whether a cancellation can be undone there
  pages_sell_once      boolean not null  -- whether a hosted page can be paid only once
);

-- The paywalls, as their owners' files describe them. The jsonb columns are public: bootstrap serves them. `offers` are the owner's own
-- entries; those that take something off have a table.
create table paywalls (
  id         text primary key check (id ~ '^[0-9]{1,19}$'),
  owner_id   uuid not null references owners,
  name       text not null check (char_length(name) between 1 and 200),
  is_test    boolean not null,
  domain     text unique check (domain = lower(domain) and char_length(domain) between 3 and 253),
  acquiring  text not null references processors,
  settings   jsonb not null check (jsonb_typeof(settings) = 'object'),
  geo        jsonb not null check (jsonb_typeof(geo) = 'object'),
  offers     jsonb not null check (jsonb_typeof(offers) = 'array'),
  layout     jsonb not null check (jsonb_typeof(layout) = 'object'),
  locales    jsonb not null check (jsonb_typeof(locales) = 'object'),
  created_at timestamptz not null default now(),
  clock_offset interval not null default '0' check (clock_offset >= '0'), -- how far its clock has been moved ahead
  unique (owner_id, id),
  unique (owner_id, is_test, id),
  constraint paywalls_live_clock check (is_test or clock_offset = '0')
);
create index paywalls_ahead on paywalls (clock_offset) where clock_offset > '0';

-- An owner's account at a processor. Kept when its paywall switches to another processor, because purchases made there continue.
create table processor_accounts (
  paywall_id  text not null references paywalls,
  acquiring   text not null references processors,
  credentials text not null check (char_length(credentials) between 1 and 8192), -- AES-GCM, lib/crypto/seal.ts
  primary key (paywall_id, acquiring)
);

-- A paywall's keys of Cloudflare Turnstile: a solved captcha allows a sign-in code to be mailed when a rate limit is used up.
create table turnstile_keys (
  owner_id   uuid not null,
  paywall_id text not null,
  site_key   text not null check (char_length(site_key) between 1 and 100),
  secret_key text not null check (char_length(secret_key) between 1 and 1024), -- AES-GCM, lib/crypto/seal.ts
  primary key (owner_id, paywall_id),
  foreign key (owner_id, paywall_id) references paywalls (owner_id, id)
);

-- The id is a hash of what is sold: an edited price is a new row, and the old one is retired.
create table prices (
  id              text primary key check (id ~ '^price_[0-9a-f]{24}$'),
  paywall_id      text not null references paywalls,
  slug            text not null check (char_length(slug) between 1 and 100),
  label           text not null check (char_length(label) between 1 and 200),
  currency        text not null check (currency ~ '^[A-Z]{3}$'),
  amount          bigint not null check (amount between 0 and 9007199254740991),
  interval        text check (interval in ('day', 'week', 'month', 'year')), -- null: a one-time price
  interval_count  integer check (interval_count between 1 and 365),
  trial_days      integer not null check (trial_days between 0 and 730),
  processor_price text not null check (char_length(processor_price) between 1 and 255),
  locals          jsonb not null check (jsonb_typeof(locals) = 'array'), -- [{countries | tier, currency, amount, processor_price}]
  tokens          jsonb not null check (jsonb_typeof(tokens) = 'array'), -- [{type, count, trial_count?}]: see credit_tokens()
  position        integer not null,
  retired_at      timestamptz,
  features        text[] not null default '{}' check (cardinality(features) <= 100), -- what it includes besides tokens
  access          boolean not null default true, -- false: a pack, which does not make its buyer `paid`
  per_unit        boolean not null default false, -- several units can be bought: the amount and the tokens are those of one
  check ((interval is null) = (interval_count is null)),
  constraint prices_pack check (access or interval is null)
);
create unique index prices_on_sale on prices (paywall_id, slug) where retired_at is null;

-- The offers of a paywall that take something off. One that leaves the paywall file is retired: its uses still count if it returns.
create table offers (
  owner_id     uuid not null,
  paywall_id   text not null,
  id           text not null check (char_length(id) between 1 and 100), -- the owner's own
  title        text not null check (char_length(title) between 1 and 200),
  badge        text check (char_length(badge) between 1 and 200),
  discount     jsonb not null check (jsonb_typeof(discount) = 'object'), -- {percent | amount, currency, periods?}
  prices       text[] not null check (cardinality(prices) between 1 and 100), -- slugs
  countries    text[] check (cardinality(countries) >= 1), -- null: all
  starts_at    timestamptz,
  ends_at      timestamptz,
  max_uses     integer check (max_uses >= 1),
  max_per_member integer not null default 1 check (max_per_member >= 1),
  code         text check (char_length(code) between 4 and 50), -- gives the offer, in upper or lower case
  show         text not null check (show in ('paywall', 'cancel', 'code')),
  processor_discount text check (char_length(processor_discount) between 1 and 255), -- the processor's id of the discount
  position     integer not null,
  retired_at   timestamptz,
  primary key (owner_id, paywall_id, id),
  foreign key (owner_id, paywall_id) references paywalls (owner_id, id)
);
create unique index offers_by_code on offers (owner_id, paywall_id, lower(code)) where retired_at is null;

-- The buyers of an owner, on all of its test paywalls or on all of its live ones. Two owners that know the same address have two separate
-- users, and so has one owner that knows it in both modes. An anonymous user has neither an e-mail address nor an external id.
create table users (
  id          uuid primary key default gen_random_uuid(),
  owner_id    uuid not null references owners,
  is_test     boolean not null,
  email       text check (email = lower(btrim(email)) and email ~ '^[!-~]+$' and char_length(email) between 3 and 254),
  external_id text check (char_length(external_id) between 1 and 255), -- the owner's own id of the user
  created_at  timestamptz not null default now(),
  purge_at   timestamptz, -- when to check whether an anonymous user can be deleted; null: never
  erased_at   timestamptz, -- when the person was erased: the user has no names, but does not count as anonymous
  unique (owner_id, is_test, id),
  unique (owner_id, is_test, email),
  unique (owner_id, is_test, external_id)
);
create index users_by_creation on users (owner_id, is_test, created_at, id);
create index users_by_age on users (purge_at) where purge_at is not null;

-- A user on one paywall, with the owner's data about the user there. Both foreign keys include the owner and the mode, so that a user of
-- one owner cannot be a member of another's paywall, nor a test user of a live paywall. They also prevent the mode of a paywall with
-- members from changing.
create table members (
  paywall_id       text not null,
  user_id          uuid not null,
  owner_id         uuid not null,
  is_test          boolean not null,
  name             text check (char_length(name) between 1 and 200),
  meta             jsonb not null default '{}' check (jsonb_typeof(meta) = 'object'), -- written by the owner
  buyer_meta       jsonb not null default '{}' check (jsonb_typeof(buyer_meta) = 'object'), -- written by the user's own calls
  event_sequence   bigint not null default 0, -- number of the last event about this member
  merged_into      uuid, -- the user that this one was merged into: on all paywalls of the owner and the mode, or on none
  created_at       timestamptz not null default now(),
  primary key (paywall_id, user_id),
  foreign key (owner_id, is_test, paywall_id) references paywalls (owner_id, is_test, id),
  foreign key (owner_id, is_test, user_id) references users (owner_id, is_test, id),
  foreign key (owner_id, is_test, merged_into) references users (owner_id, is_test, id)
);
create index members_of_user on members (user_id);
create index members_merged_into on members (merged_into) where merged_into is not null;

-- One attempt to sell one price to one member: what was requested, what the processor opened, and whether it was bought. The processor's
-- request is stored before the first call, so that an attempt after a crash repeats it exactly.
create table checkouts (
  id              uuid primary key,
  paywall_id      text not null,
  user_id         uuid not null,
  price_id        text not null references prices,
  acquiring       text not null,
  trial_days      integer not null check (trial_days between 0 and 730),
  quantity        integer not null default 1 check (quantity >= 1), -- of units that the page sells
  options         jsonb not null default '{}' check (jsonb_typeof(options) = 'object'), -- settings.checkout, and the buyer's language
  offer           jsonb check (jsonb_typeof(offer) = 'object'), -- what is taken off: {id, discount, processor_discount} of an offer, as it was
  further_trial   boolean not null, -- the trial is valid even if the buyer has had one: the owner requested it
  country         text check (country ~ '^[A-Z]{2}$'),        -- the buyer's country, if it decides the price
  local_currency  text check (local_currency ~ '^[A-Z]{3}$'), -- the currency that an owner requested
  customer        text check (char_length(customer) <= 255),  -- the buyer's id at the processor, if known
  customers       jsonb not null default '{}' check (jsonb_typeof(customers) = 'object'), -- the same per currency bought in
  success_url     text not null check (char_length(success_url) <= 4096),
  error_url       text not null check (char_length(error_url) <= 4096),
  shop_url        text check (char_length(shop_url) <= 2048), -- the page where the buyer started, as the caller says: repeated in events
  return_origin   text not null check (char_length(return_origin) <= 300),
  success_is_foreign boolean not null default false, -- a user chose success_url, and the owner does not list its origin: the buyer must confirm
  error_is_foreign boolean not null default false,   -- the same for error_url
  hosted_page_id  text check (char_length(hosted_page_id) <= 255), -- the processor's id of the hosted page, once it is open
  url             text check (char_length(url) <= 8192),
  currency        text check (currency ~ '^[A-Z]{3}$'),        -- what the hosted page charges
  amount          bigint check (amount >= 0), -- of one unit
  charged         bigint check (charged >= 0), -- the first payment, with taxes and after discounts; 0 for a trial
  replaces        boolean not null default false, -- once paid, the buyer's older subscriptions are never charged again
  completed_at    timestamptz,
  polled_at       timestamptz, -- when the reconcile cron last polled it
  reconcile_at    timestamptz, -- when it polls it next; null: never. See checkout_due()
  created_at      timestamptz not null default now(),
  purge_at       timestamptz default now() + interval '30 days', -- when to check whether it can be deleted; null: never
  asked_at        timestamptz, -- when the processor was last queried for a returning browser
  processor_price text check (char_length(processor_price) between 1 and 255), -- what the page sells, by the processor's name
  former_email    text check (former_email = lower(former_email) and char_length(former_email) between 3 and 254), -- address of the user who opened it, if merged since
  foreign key (paywall_id, user_id) references members,
  foreign key (paywall_id, acquiring) references processor_accounts
);
create index checkouts_of_member on checkouts (paywall_id, user_id);
create index checkouts_to_reconcile on checkouts (paywall_id, reconcile_at) where reconcile_at is not null;
create index checkouts_of_former_email on checkouts (paywall_id, former_email) where former_email is not null;
create index checkouts_by_age on checkouts (purge_at) where purge_at is not null;

-- The uses of offers (lib/purchases/offer-uses.sql): one for each checkout that has opened a page with an offer.
create table offer_uses (
  owner_id      uuid not null,
  paywall_id    text not null,
  offer_id      text not null,
  checkout_id   uuid not null references checkouts on delete cascade,
  held_until    timestamptz not null, -- until when its page may be paid; infinity: its payment is pending, or paid
  paid_at       timestamptz,
  is_beyond_max boolean not null default false, -- it was paid when all uses were taken, or all of its member
  primary key (owner_id, paywall_id, offer_id, checkout_id),
  foreign key (owner_id, paywall_id, offer_id) references offers (owner_id, paywall_id, id)
);
create index offer_uses_of_checkout on offer_uses (checkout_id);

-- Decides which call opens the checkout of an Idempotency-Key. `holder` excludes a slow attempt that has lost its lease, `leased_until`
-- admits the next one after a crash, `attempt` gives a new key at the processor once it has responded.
create table checkout_claims (
  paywall_id      text not null references paywalls,
  caller          text not null check (char_length(caller) <= 50), -- 'owner' or 'user:<id>'
  idempotency_key uuid not null,
  request_hash    text not null check (request_hash ~ '^[0-9a-f]{64}$'),
  checkout_id     uuid not null,
  holder          uuid not null,
  leased_until    timestamptz not null,
  attempt         integer not null default 1,
  opened          boolean not null default false, -- the checkout has its url: from now on every call is a replay
  claimed_at      timestamptz not null default now(),
  primary key (paywall_id, caller, idempotency_key)
);
create index checkout_claims_by_age on checkout_claims (claimed_at);

-- A subscription or a one-time purchase in its last known state at the processor. Written only by lib/purchases/store-purchase.sql.
create table purchases (
  id                   uuid primary key default gen_random_uuid(),
  paywall_id           text not null,
  user_id              uuid not null,
  checkout_id          uuid not null references checkouts,
  price_id             text not null references prices,
  acquiring            text not null,
  processor_id         text not null check (char_length(processor_id) <= 255), -- its id of the subscription or payment
  processor_customer   text check (char_length(processor_customer) <= 255),
  status               text not null check (status in ('pending', 'trialing', 'active', 'past_due', 'paused', 'canceled', 'refunded')),
  begun                boolean not null,     -- false until its first payment or trial, and for ever if that payment failed for good
  access               boolean not null default true, -- that of its price when it was bought: false for a pack
  interval             text check (interval in ('day', 'week', 'month', 'year')),
  interval_count       integer check (interval_count between 1 and 365),
  unit_amount          bigint not null check (unit_amount >= 0),
  quantity             bigint not null default 1 check (quantity between 0 and 9007199254740991), -- of units that it is charged for
  currency             text not null check (currency ~ '^[A-Z]{3}$'),
  current_period_start timestamptz,
  current_period_end   timestamptz,
  trial_start          timestamptz,
  trial_end            timestamptz,
  trial_ending_notified_for timestamptz, -- the trial's end for which the owner was notified
  cancel_at_period_end boolean not null,
  cancel_at            timestamptz,
  canceled_at          timestamptz,
  past_due_since       timestamptz,
  access_lost_at       timestamptz,          -- since when its status (paused or ended) gives no access
  cancel_requested_at  timestamptz,          -- an owner or user requested a cancellation; a request in flight blocks others
  cancel_accepted_at   timestamptz,          -- the processor accepted that request: it is not repeated, unless it is undone
  cancellation_reason  text check (char_length(cancellation_reason) <= 1000),
  plan_changed_at      timestamptz,          -- when the processor accepted a change of plan that was requested here
  started_at           timestamptz not null default now(), -- when it was sold, by the processor's clock: decides which of two is older
  replaced_by          uuid references purchases, -- the newer purchase that replaces it
  stop_requested_at    timestamptz,          -- since when the processor must stop charging it
  stopped_at           timestamptz,          -- when the processor had stopped
  stop_alerted_at      timestamptz,          -- when the event about a day without a stop was emitted
  processor_price      text check (char_length(processor_price) <= 255), -- what it is charged for now, by the processor's name
  ended_by_owner_at    timestamptz,          -- when its owner ended it: its processor must end it, too, at once
  unmatched_from       timestamptz,          -- from when on no price of the paywall matches its charge
  scheduled_change_at  timestamptz,          -- when a scheduled change of plan takes effect; null: none is scheduled
  scheduled_price_id   text references prices, -- its price from then on; null if no price of the paywall matches it
  scheduled_quantity   bigint check (scheduled_quantity between 0 and 9007199254740991), -- its quantity from then on
  access_ended_at      timestamptz,          -- when the event about the end of its grace period was emitted
  paid_period_start    timestamptz,          -- start of the last paid or trial period: its tokens are credited
  fetched_at           timestamptz not null, -- the paywall's time before the fetch: a later fetch always wins
  polled_at            timestamptz,          -- when the reconcile cron last polled it
  reconcile_at         timestamptz,          -- when it polls it next; null: never. See purchase_due()
  created_at           timestamptz not null default now(),
  -- The address that an anonymous buyer gave the processor. It is not verified: it finds the purchase, and grants nothing.
  buyer_email          text check (buyer_email = lower(btrim(buyer_email)) and char_length(buyer_email) between 3 and 254),
  buyer_erased_at      timestamptz, -- when that address was erased: it must not be stored again
  versions             jsonb not null default '{}' check (jsonb_typeof(versions) = 'object'), -- of the objects that it was read from: {id: version}
  versions_at          timestamptz, -- when one of them last grew
  unique (paywall_id, acquiring, processor_id),
  foreign key (paywall_id, user_id) references members,
  foreign key (paywall_id, acquiring) references processor_accounts
);
create index purchases_of_member on purchases (paywall_id, user_id);
create index purchases_of_buyer on purchases (paywall_id, buyer_email) where buyer_email is not null;
create index purchases_of_checkout on purchases (checkout_id);
create index purchases_to_reconcile on purchases (paywall_id, reconcile_at) where reconcile_at is not null;

-- Changes of plan that were previewed or requested (functions/change-plan). The id of a previewed one is its quote.
create table plan_changes (
  owner_id        uuid not null,
  id              uuid not null default gen_random_uuid(),
  paywall_id      text not null,
  purchase_id     uuid not null references purchases,
  from_price_id   text not null references prices,
  from_quantity   bigint not null,
  to_price_id     text not null references prices,
  quantity        bigint not null check (quantity >= 1), -- the new one
  processor_price text not null check (char_length(processor_price) between 1 and 255), -- the new price, in the subscription's currency
  amount          bigint not null check (amount >= 0), -- of one unit
  currency        text not null check (currency ~ '^[A-Z]{3}$'),
  takes_effect    text not null check (takes_effect in ('now', 'period_end')),
  options         jsonb not null check (jsonb_typeof(options) = 'object'), -- settings.checkout: of a page where the buyer pays for it
  priced_at       timestamptz not null, -- the current period counts as used up to then
  period_end      timestamptz,          -- of the subscription when it was priced: a renewal makes the quote invalid
  due_now         bigint check (due_now >= 0), -- the amount that was previewed; null: none was
  expires_at      timestamptz not null, -- until when it can be requested
  caller          text check (char_length(caller) <= 50), -- with idempotency_key and request_hash: the call that requested it
  idempotency_key uuid,
  request_hash    text check (request_hash ~ '^[0-9a-f]{64}$'),
  holder          uuid,                 -- the attempt that calls the processor, until leased_until
  leased_until    timestamptz,
  attempt         integer not null default 1, -- gives a new key at the processor once it has responded
  reply           text check (char_length(reply) <= 16384), -- the response as JSON, once the processor has changed the plan
  created_at      timestamptz not null default now(),
  primary key (owner_id, id),
  unique (owner_id, paywall_id, caller, idempotency_key),
  foreign key (owner_id, paywall_id) references paywalls (owner_id, id)
);
create index plan_changes_of_purchase on plan_changes (purchase_id);
create index plan_changes_by_age on plan_changes (created_at);

-- The facts of payments, as the processor reported them. Append-only, once per fact and kind.
create table payments (
  id                uuid primary key default gen_random_uuid(),
  payment_id        uuid not null, -- the same for a payment, its failed attempts, its refunds and its disputes
  purchase_id       uuid not null references purchases,
  paywall_id        text not null,
  acquiring         text not null,
  processor_payment text not null check (char_length(processor_payment) <= 255), -- the processor's id of the payment
  price_id          text references prices, -- the purchase's when the payment was first reported; null if no price of the paywall matched
  fact_id           text not null check (char_length(fact_id) <= 255), -- the processor's id of the fact, such as the refund
  kind              text not null check (kind in (
    'succeeded', 'failed', 'refunded', 'refund_failed', 'disputed', 'dispute_lost', 'dispute_won')),
  amount            bigint not null check (amount >= 0),
  currency          text not null check (currency ~ '^[A-Z]{3}$'),
  tax               bigint check (tax between 0 and amount), -- the part of a `succeeded` payment that is tax; null: not reported
  discount          bigint check (discount >= 0), -- what was taken off before a `succeeded` payment, without taxes; null: not reported
  receipt_url       text check (char_length(receipt_url) <= 2048), -- the processor's page with the receipt; null: not reported
  occurred_at       timestamptz not null,
  unique (paywall_id, acquiring, kind, fact_id),
  foreign key (paywall_id, acquiring) references processor_accounts
);
create index payments_of_payment on payments (paywall_id, acquiring, processor_payment);
create index payments_of_purchase on payments (purchase_id, occurred_at);

-- Refunds that were requested here (functions/refund-purchase). What was returned in the end is a fact in `payments`.
create table refunds (
  owner_id         uuid not null,
  id               uuid not null default gen_random_uuid(), -- part of the processor's idempotency key, and stored at the processor
  paywall_id       text not null,
  purchase_id      uuid not null references purchases,
  payment_id       uuid not null,        -- of the rows of payments
  amount           bigint not null check (amount >= 1), -- requested, then what the processor has accepted
  currency         text not null check (currency ~ '^[A-Z]{3}$'),
  reason           text check (char_length(reason) <= 500), -- the owner's note
  idempotency_key  uuid,                 -- with request_hash: the call that requested it
  request_hash     text check (request_hash ~ '^[0-9a-f]{64}$'),
  holder           uuid,                 -- the attempt that calls the processor, until leased_until
  leased_until     timestamptz,
  claims           integer not null default 0, -- the attempts so far
  attempt          integer not null default 1, -- gives a new key at the processor once it has responded
  processor_refund text check (char_length(processor_refund) <= 255), -- its id of the refund, once it has accepted that
  created_at       timestamptz not null default now(),
  primary key (owner_id, id),
  unique (owner_id, paywall_id, idempotency_key),
  foreign key (owner_id, paywall_id) references paywalls (owner_id, id)
);
create index refunds_of_purchase on refunds (purchase_id);

-- The periods of a purchase whose tokens were credited. A change of plan within a period adds the difference to the highest credit in it.
create table credited_periods (
  owner_id    uuid not null,
  purchase_id uuid not null references purchases,
  starts_at   timestamptz not null,
  ends_at     timestamptz,          -- null for a one-time purchase
  price_id    text not null references prices, -- the price that was credited last
  quantity    bigint not null default 1,       -- of units for which it was credited last
  credited    jsonb not null check (jsonb_typeof(credited) = 'object'), -- tokens by type: the highest credit so far
  paid_by     uuid,                 -- the payment for which the period was credited; null: the period was read as paid
  given_back  jsonb check (jsonb_typeof(given_back) = 'object'), -- tokens by type that were taken back when `refunded` was returned
  refunded    uuid,                 -- the payment that was returned
  primary key (owner_id, purchase_id, starts_at)
);

-- What subscriptions add to an owner's figures (docs/figures.md), as changes: the sum of a subscription's rows is its state. `purchases` has
-- only the latest state, so that the monthly recurring revenue of a past day could not be computed from it. Append-only, written in the
-- transaction that stores the purchase (lib/figures/subscription-changes.sql).
create table subscription_changes (
  owner_id      uuid not null,
  purchase_id   uuid not null references purchases,
  id            bigint generated always as identity,
  at            timestamptz not null,
  kind          text not null check (kind in (
    'new', 'upgrade', 'downgrade', 'churn', 'recovered', 'trial_started', 'trial_converted', 'trial_ended')),
  subscriptions integer not null check (subscriptions between -1 and 1), -- what it adds to the number of active subscriptions
  mrr           bigint not null, -- what it adds to the monthly recurring revenue
  currency      text not null check (currency ~ '^[A-Z]{3}$'),
  price_slug    text check (char_length(price_slug) between 1 and 100), -- null if no price of the paywall matched
  primary key (owner_id, purchase_id, id)
);

-- An owner's figures by day, or by month: sums of facts in `payments` and `subscription_changes`, so that no page reads those. Once for each
-- way to split them, because a page splits them by one. docs/figures.md defines each figure; amounts are in minor units. The levels are kept
-- as changes: their sum until the end of a day is the level.
create table figures (
  owner_id      uuid not null references owners,
  is_test       boolean not null,
  by            text not null check (by in ('day', 'price', 'country', 'acquiring')),
  is_month      boolean not null, -- whether it is of the month that begins on `day`
  day           date not null,    -- in UTC
  key           text not null check (char_length(key) <= 200), -- the price, country or processor; empty if not known, and by day
  currency      text not null check (currency ~ '^[A-Z]{3}$'),
  revenue       numeric not null,
  tax           numeric not null,
  refunds       numeric not null,
  lost_disputes numeric not null,
  payments      bigint not null,
  refund_count  bigint not null,
  disputes      bigint not null,
  mrr           numeric not null, -- a level
  mrr_new       numeric not null,
  mrr_upgrade   numeric not null,
  mrr_recovered numeric not null,
  mrr_downgrade numeric not null,
  mrr_churn     numeric not null,
  subscriptions bigint not null, -- a level
  new_subscriptions       bigint not null,
  recovered_subscriptions bigint not null,
  churned_subscriptions   bigint not null,
  trials             bigint not null, -- a level
  trials_started     bigint not null,
  trials_converted   bigint not null,
  trials_ended       bigint not null,
  failed_payments    bigint not null,
  failed_amount      numeric not null,
  recovered_payments bigint not null,
  recovered_amount   numeric not null,
  primary key (owner_id, is_test, by, is_month, day, key, currency)
);

-- Figures that are not yet added to `figures`: functions/purge-expired/fold-figures.sql does that. Purchases of one owner that are stored at
-- once thus wait for no common row. Vacuumed often, like idempotent_replies.
create table pending_figures (
  owner_id  uuid not null,
  is_test   boolean not null,
  id        bigint generated always as identity,
  day       date not null,
  currency  text not null check (currency ~ '^[A-Z]{3}$'),
  price     text not null check (char_length(price) <= 200), -- the paywall's id, a slash and the slug, which is empty if no price matched
  country   text not null check (country ~ '^([A-Z]{2})?$'), -- the buyer's; empty if it is not known
  acquiring text not null,
  added     jsonb not null check (jsonb_typeof(added) = 'object'), -- by the names of the columns of `figures`
  primary key (owner_id, is_test, id)
) with (autovacuum_vacuum_scale_factor = 0.01);

-- Access that an owner gave a user without a payment (lib/grants). It ends at `ends_at`, or earlier if the owner takes it back. The times
-- are the paywall's. `reason` and `end_reason` are for the owner's support; null once the person was erased.
create table grants (
  owner_id   uuid not null,
  id         uuid not null default gen_random_uuid(),
  paywall_id text not null,
  user_id    uuid not null,
  price_id   text references prices, -- whose features it gives; null: access without features
  reason     text check (char_length(reason) between 1 and 500),
  granted_by text not null check (char_length(granted_by) <= 50), -- 'key:<id>' of an owner key, 'team' (see audit_log), or 'command'
  ends_at    timestamptz not null,
  ended_at   timestamptz, -- when it ended; null: it has not, or `grant.ended` is not emitted yet
  ended_by   text check (char_length(ended_by) <= 50), -- who took it back, like granted_by; null: its time was over
  end_reason text check (char_length(end_reason) between 1 and 500),
  created_at timestamptz not null,
  primary key (owner_id, id),
  foreign key (owner_id, paywall_id) references paywalls (owner_id, id),
  foreign key (paywall_id, user_id) references members
);
create index grants_of_member on grants (paywall_id, user_id);
create index grants_to_end on grants (ends_at) where ended_at is null;

-- Inbound webhooks that were applied: duplicates are recognised for ever.
create table processor_events (
  paywall_id  text not null,
  acquiring   text not null,
  event_id    text not null check (char_length(event_id) between 1 and 255),
  received_at timestamptz not null default now(),
  primary key (paywall_id, acquiring, event_id),
  foreign key (paywall_id, acquiring) references processor_accounts
);

-- Verified webhooks whose purchase could not be read in a state as new as theirs, with their content. A row is deleted when the event is
-- applied, or found to concern nothing of ours: see lib/purchases/pending-events.sql. Its times are the paywall's.
create table pending_events (
  owner_id     uuid not null,
  paywall_id   text not null,
  acquiring    text not null,
  event_id     text not null check (char_length(event_id) between 1 and 255),
  kind         text not null check (kind in ('page', 'subscription', 'payment')), -- what to read: `PurchaseReference`
  processor_id text not null check (char_length(processor_id) between 1 and 255),
  sold_to      text check (char_length(sold_to) <= 254),
  versions     jsonb not null check (jsonb_typeof(versions) = 'object'), -- of the objects in the event: {id: version}
  payment      jsonb check (jsonb_typeof(payment) = 'object'),           -- the money fact that it reports
  trial_ending boolean not null,
  is_notice    boolean not null default false, -- unsigned: it only triggers a read, and duplicates are not recorded
  received_at  timestamptz not null,
  due_at       timestamptz not null, -- when it is read next. See pending_event_due()
  primary key (owner_id, paywall_id, acquiring, event_id),
  foreign key (owner_id, paywall_id) references paywalls (owner_id, id),
  foreign key (paywall_id, acquiring) references processor_accounts
) with (autovacuum_vacuum_scale_factor = 0.01);
create index pending_events_due on pending_events (paywall_id, due_at);
create index pending_events_of_purchase on pending_events (paywall_id, acquiring, processor_id);

-- The token balances of members. Every change writes its ledger row in the same call.
create table balances (
  paywall_id     text not null,
  user_id        uuid not null,
  type           text not null check (char_length(type) between 1 and 100),
  count          bigint not null check (count between 0 and 9007199254740991),
  topped_up_on   date, -- the UTC day of the last daily top-up
  primary key (paywall_id, user_id, type),
  foreign key (paywall_id, user_id) references members
);

-- The history of balances: a balance equals the sum of its rows.
create table ledger (
  id          bigint generated always as identity primary key,
  paywall_id  text not null,
  user_id     uuid not null,
  type        text not null check (char_length(type) between 1 and 100),
  delta       bigint not null check (delta <> 0),
  count_after bigint not null,
  reason      text not null check (reason in ('top_up', 'plan', 'trial', 'credit', 'debit', 'merge', 'refund')),
  reference   text check (char_length(reference) <= 255), -- what caused it, such as the purchase's id
  at          timestamptz not null default now(),
  foreign key (paywall_id, user_id, type) references balances
);
create index ledger_of_member on ledger (paywall_id, user_id, type);
create index ledger_credits on ledger (paywall_id, user_id, type) where delta > 0 and reason <> 'top_up';

-- Replies of balances, withdraw-tokens and grants to calls with an Idempotency-Key, for replays.
create table idempotent_replies (
  paywall_id      text not null references paywalls,
  idempotency_key uuid not null,
  request_hash    text not null check (request_hash ~ '^[0-9a-f]{64}$'),
  reply           jsonb not null,
  created_at      timestamptz not null default now(),
  primary key (paywall_id, idempotency_key)
) with (autovacuum_vacuum_scale_factor = 0.01);
create index idempotent_replies_by_age on idempotent_replies (created_at);

-- Support tickets; user_id is null for a guest.
create table tickets (
  id             bigint generated always as identity primary key,
  paywall_id     text not null references paywalls,
  user_id        uuid references users,
  customer_email text check (customer_email ~ '^[!-~]+$' and char_length(customer_email) <= 254),
  subject        text not null check (char_length(subject) between 3 and 200),
  content        text not null check (char_length(content) between 1 and 5000),
  status         text not null default 'open' check (status in ('open', 'closed')),
  created_at     timestamptz not null default now()
);
create index tickets_of_user on tickets (user_id, paywall_id) where user_id is not null;
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

-- The times of a sender's last tickets, which decide whether another one is allowed.
-- What the owner's team replied, by mail.
create table ticket_replies (
  owner_id   uuid not null references owners,
  ticket_id  bigint not null references tickets,
  id         uuid not null,
  email      text not null check (char_length(email) between 3 and 254), -- of the member of the team
  content    text not null check (char_length(content) between 1 and 5000),
  sent_at    timestamptz, -- null: the mail is not known to be sent
  created_at timestamptz not null default now(),
  primary key (owner_id, ticket_id, id)
);
create index ticket_replies_of_ticket on ticket_replies (ticket_id);

create table ticket_quotas (
  paywall_id text not null references paywalls,
  who        text not null check (char_length(who) <= 300), -- 'email:<address>' or 'user:<id>'
  opened     timestamptz[] not null,
  primary key (paywall_id, who)
);
create index ticket_quotas_by_age on ticket_quotas ((opened[cardinality(opened)]));

-- A sign-in challenge: the mailed code, hashed, with the number of guesses. Only the caller who requested the code has the challenge itself.
create table sign_in_challenges (
  challenge_hash text primary key check (challenge_hash ~ '^[0-9a-f]{64}$'),
  paywall_id     text references paywalls, -- null: the console
  email          text not null check (char_length(email) between 3 and 254),
  code_hash      text not null check (code_hash ~ '^[0-9a-f]{64}$'),
  guesses        integer not null default 0,
  restores       boolean not null, -- the mail offered to restore what was bought with the address
  expires_at     timestamptz not null
);
create index sign_in_challenges_by_age on sign_in_challenges (expires_at);

-- A user's session on a paywall. Of its refresh tokens only the SHA-256 of the latest and of the previous one are stored: each can be
-- exchanged for the next, and an older one ends the session, since it must have been stolen or copied.
create table sign_in_sessions (
  id         uuid primary key,
  paywall_id text not null,
  user_id    uuid not null,
  token_hash text not null check (token_hash ~ '^[0-9a-f]{64}$'),
  expires_at timestamptz not null,
  ended_at   timestamptz,
  created_at timestamptz not null default now(),
  previous_hash text check (previous_hash ~ '^[0-9a-f]{64}$'), -- of the previous token
  replaced_at   timestamptz, -- when the latest replaced it: for 30 more seconds it returns the latest again
  minted_by     uuid references api_keys, -- the owner key that created it; null: the user signed in
  foreign key (paywall_id, user_id) references members
);
create index sign_in_sessions_of_member on sign_in_sessions (paywall_id, user_id);
create index sign_in_sessions_of_key on sign_in_sessions (minted_by) where minted_by is not null;
create index sign_in_sessions_by_age on sign_in_sessions (least(ended_at, expires_at));

-- The sessions of the console. A session whose member has left the team has no role, and so can do nothing.
create table console_sessions (
  owner_id        uuid not null references owners, -- whose console it shows
  token_hash      text not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
  email           text not null check (char_length(email) between 3 and 254),
  expires_at      timestamptz not null,
  confirmed_until timestamptz not null, -- until when it may do what requires a code that was entered a short time before
  created_at      timestamptz not null default now(),
  primary key (owner_id, token_hash)
);
create index console_sessions_by_age on console_sessions (expires_at);

-- What was done in the console, by whom and why. Rows are only added; erasing a user removes the reasons of what was done to it.
create table audit_log (
  owner_id   uuid not null references owners,
  id         bigint generated always as identity,
  at         timestamptz not null default now(),
  email      text not null check (char_length(email) between 3 and 254), -- of the member of the team
  role       text not null check (role in ('admin', 'support', 'viewer')),
  act        text not null check (char_length(act) <= 50),
  is_test    boolean, -- null: it concerns both modes
  user_id    uuid, -- no reference: an anonymous user may be deleted
  subject    text check (char_length(subject) <= 2048), -- what it was done to: an id, or the URL of a webhook endpoint
  reason     text check (char_length(reason) <= 500),
  primary key (owner_id, id)
);
create index audit_log_of_user on audit_log (owner_id, user_id, id) where user_id is not null;

-- How much of a rate limit is consumed, and by whom: 'user:<id>', 'address:<hash>', 'network:<address or prefix>', 'paywall:<id>',
-- or the last two together. `refilled_at`: up to when the refill is counted in. See lib/rate-limits/rate-limits.sql.
create table rate_limits (
  name        text not null check (char_length(name) between 1 and 50),
  key         text not null check (char_length(key) between 1 and 100),
  consumed    bigint not null check (consumed >= 0),
  refilled_at timestamptz not null,
  primary key (name, key)
) with (autovacuum_vacuum_scale_factor = 0.01);
create index rate_limits_by_age on rate_limits (refilled_at);

-- Where the events of an owner's test paywalls, or of its live ones, are sent. Until `previous_secret_until` the previous secret signs,
-- too, so that a rotation loses no event.
create table webhook_endpoints (
  id                    uuid primary key default gen_random_uuid(),
  owner_id              uuid not null references owners,
  is_test               boolean not null,
  url                   text not null check (char_length(url) between 8 and 2048),
  secret                text not null check (char_length(secret) between 1 and 1024), -- AES-GCM, lib/crypto/seal.ts
  previous_secret       text check (char_length(previous_secret) between 1 and 1024),
  previous_secret_until timestamptz,
  is_secret_generated   boolean not null default false, -- by us: the paywall file does not contain it
  events                text[] not null check (cardinality(events) between 1 and 50),
  failures              integer not null default 0, -- failed attempts since the last success
  disabled_at           timestamptz,
  held_until            timestamptz, -- nothing is sent there before: its secret could not be decrypted
  created_at            timestamptz not null default now(),
  unique (owner_id, is_test, url)
);

-- The outbox: events, written in the transaction of the change itself. The bytes stored are the bytes signed. Events are kept, but personal
-- data is removed from their bodies: see functions/purge-expired/redact-old-events.sql. Vacuumed often, like idempotent_replies.
create table events (
  id         text primary key check (id ~ '^evt_[0-9a-f]{32}$'),
  owner_id   uuid not null,
  is_test    boolean not null,
  paywall_id text not null,
  user_id    uuid, -- null: a guest, who is no member and whose events are not ordered
  sequence   bigint not null,
  type       text not null check (char_length(type) between 1 and 50),
  body       text not null check (char_length(body) <= 262144),
  position   bigint, -- in the list of the owner's events; null: not listed yet. See functions/list-events/list-events.sql
  created_at timestamptz not null default clock_timestamp(), -- not now(): a member's events are in the order of their sequence
  purge_at  timestamptz default now() + interval '30 days', -- when the body is redacted; null: it has been
  unique (paywall_id, user_id, sequence),
  foreign key (owner_id, is_test, paywall_id) references paywalls (owner_id, is_test, id),
  foreign key (paywall_id, user_id) references members
) with (autovacuum_vacuum_scale_factor = 0.01);
create index events_by_age on events (purge_at) where purge_at is not null;
create index events_unlisted on events (owner_id, is_test, created_at, sequence) where position is null;
create index events_by_time on events (owner_id, is_test, created_at, id);
create unique index events_listed on events (owner_id, is_test, position) where position is not null;

-- One event to one webhook endpoint. Deliveries about one member are sent in the order of their sequence: only the first pending one has a
-- time for its next attempt, so that the others are not in the index of what is due. Vacuumed often, like idempotent_replies: a scan for the
-- oldest row first passes the index entries of deleted ones.
create table deliveries (
  event_id        text not null references events,
  endpoint_id     uuid not null references webhook_endpoints,
  paywall_id      text not null,
  user_id         uuid,
  sequence        bigint not null,
  merged_user_id  uuid, -- user.merged only: deliveries about that user come before this one, too
  state           text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts        integer not null default 0,
  next_attempt_at timestamptz, -- null: waits for an earlier delivery about the same member, or about one merged into it
  locked_until    timestamptz,
  holder          uuid,    -- the attempt that has the lease
  last_status     integer, -- the last HTTP status; null without a response
  last_error      text check (char_length(last_error) <= 500),
  finished_at     timestamptz,
  primary key (event_id, endpoint_id)
) with (autovacuum_vacuum_scale_factor = 0.01);
create index deliveries_due on deliveries (endpoint_id, next_attempt_at)
  where state = 'pending' and next_attempt_at is not null;
create index deliveries_in_order on deliveries (endpoint_id, paywall_id, user_id, sequence) where state = 'pending';
create index deliveries_failed on deliveries (endpoint_id, finished_at) where state = 'failed';
create index deliveries_after_merge on deliveries (endpoint_id, paywall_id, merged_user_id)
  where state = 'pending' and merged_user_id is not null;
create index deliveries_by_age on deliveries (finished_at) where state = 'delivered';

-- What came of each attempt of a delivery, with the beginning of the response, for the owner to find out why its backend refused an event.
-- Written in the call that records the delivery, and deleted after 30 days. It has no foreign keys: its delivery has them, and a check for
-- each attempt, or for each deleted delivery, would cost more than the row.
create table delivery_attempts (
  owner_id     uuid not null,
  event_id     text not null,
  endpoint_id  uuid not null,
  attempt      integer not null check (attempt >= 1), -- from 1, replays included
  attempted_at timestamptz not null,
  milliseconds integer not null check (milliseconds >= 0), -- until the response, or its failure
  status       integer, -- null without a response
  error        text check (char_length(error) <= 500), -- null if the event was accepted
  response     text check (char_length(response) <= 2048), -- the first 2 KB of its body; null without one, or if the event was redacted
  primary key (owner_id, event_id, endpoint_id, attempt)
) with (autovacuum_vacuum_scale_factor = 0.01);
create index delivery_attempts_by_age on delivery_attempts (attempted_at);

-- The installed releases of database functions, each in the schema of its name. Workers of the previous deployment keep calling theirs, so
-- the previous release stays until the next one is installed.
create table releases (
  name         text primary key check (name ~ '^release_[0-9a-f]{16}$'),
  installed_at timestamptz not null default now()
);
