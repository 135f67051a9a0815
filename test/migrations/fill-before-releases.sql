-- Every table as the service before releases would have filled it: 3 owners, 6 paywalls, 300 users, each a member of one
-- paywall, and what becomes of them. The paywall 1001 belongs to the first owner, whose key is the one that ends in 1.
insert into owners (id, email)
select ('10000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'owner-' || n || '@example.com' from generate_series(1, 3) n;

insert into api_keys (owner_id, name, key_hash, is_test, revoked_at)
select id, 'backend', encode(sha256(('pk_test_' || repeat('0', 63) || right(id::text, 1))::bytea), 'hex'), true, null from owners
union all
select id, 'old', encode(sha256(id::text::bytea), 'hex'), false, now() - interval '1 day' from owners;

insert into paywalls (id, owner_id, name, is_test, domain, acquiring, settings, geo, offers, layout, locales)
select (1000 + n)::text, ('10000000-0000-4000-8000-' || lpad((1 + (n - 1) % 3)::text, 12, '0'))::uuid, 'Paywall ' || n, true,
  case when n = 2 then 'pay-2.example.com' end, case when n = 6 then 'mollie' else 'stripe' end,
  '{"tokenization_queries": [{"type": "standard", "daily_limit": 10}, {"type": "premium"}]}',
  '{"countries": [], "tiers": {"1": ["US"], "2": ["BR"], "3": ["IN"]}}', '[]', '{}', '{"en": {}}'
from generate_series(1, 6) n;

insert into processor_accounts (paywall_id, acquiring, credentials) select id, acquiring, 'sealed' from paywalls;
-- Paywall 6 has changed its processor: what was bought at the one before belongs to that account.
insert into processor_accounts (paywall_id, acquiring, credentials) values ('1006', 'stripe', 'sealed');

insert into prices (id, paywall_id, slug, label, currency, amount, interval, interval_count, trial_days, processor_price, locals,
  tokens, position, retired_at)
select 'price_' || lpad(p.id || n, 24, '0'), p.id, slug, slug, 'USD', 999, interval, case when interval is not null then 1 end, 7,
  'price_' || slug, '[]', '[{"type": "standard", "count": 100}]', n, case when n = 3 then now() end
from paywalls p, (values (1, 'monthly', 'month'), (2, 'lifetime', null), (3, 'monthly', 'month')) price (n, slug, interval);

insert into users (id, email, created_at)
select ('20000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, case when n % 10 > 0 then 'user-' || n || '@example.com' end,
  now() - make_interval(days => n)
from generate_series(1, 300) n;

-- A member of the paywall that its number comes to; the merged ones gave all they had to the user before them.
insert into members (paywall_id, user_id, name, meta, event_sequence, open_session, merged_into)
select (1001 + n % 6)::text, id, 'User ' || n, jsonb_build_object('n', n), 3, case when n % 7 = 0 then 'stripe:cs_' || n end,
  case when n % 50 = 0 then lag(id, 6) over (order by n) end
from (select *, right(id::text, 12)::int as n from users) u;

insert into checkouts (id, paywall_id, user_id, price_id, acquiring, trial_days, success_url, error_url, return_origin, session_id,
  url, currency, amount, completed_at, looked_at, created_at)
select ('30000000-0000-4000-8000-' || right(m.user_id::text, 12))::uuid, m.paywall_id, m.user_id,
  'price_' || lpad(m.paywall_id || '1', 24, '0'), 'stripe', 0, 'https://o.example/', 'https://o.example/', 'https://p.example',
  case when n % 5 > 0 then 'cs_' || n end, case when n % 5 > 0 then 'https://c.example/' || n end,
  case when n % 5 > 0 then 'USD' end, case when n % 5 > 0 then 999 end,
  case when n % 5 > 2 then now() - interval '1 hour' end, case when n % 3 = 0 then now() - interval '2 hours' end,
  now() - interval '3 hours'
from (select *, right(user_id::text, 12)::int as n from members) m;

insert into checkout_claims (paywall_id, caller, idempotency_key, request_hash, checkout_id, holder, leased_until, opened)
select paywall_id, 'owner', gen_random_uuid(), repeat('a', 64), id, gen_random_uuid(), now(), session_id is not null from checkouts;

insert into purchases (paywall_id, user_id, checkout_id, price_id, acquiring, processor_id, processor_customer, status, begun, interval,
  interval_count, unit_amount, currency, current_period_start, current_period_end, trial_start, trial_end, cancel_at_period_end,
  canceled_at, past_due_since, cancel_requested_at, paid_period_start, fetched_at, looked_at, previous, created_at)
select c.paywall_id, c.user_id, c.id, c.price_id, c.acquiring, 'sub_' || n, 'cus_' || n,
  (array['active', 'trialing', 'past_due', 'canceled', 'pending', 'paused', 'refunded'])[1 + n % 7], n % 7 <> 4,
  case when n % 4 > 0 then 'month' end, case when n % 4 > 0 then 1 end, 999, 'USD',
  now() - interval '10 days', now() + interval '20 days', case when n % 7 = 1 then now() - interval '5 days' end,
  case when n % 7 = 1 then now() + interval '2 days' end, n % 8 = 0, case when n % 7 = 3 then now() - interval '1 day' end,
  case when n % 7 = 2 then now() - interval '1 day' end, case when n % 9 = 0 then now() - interval '1 hour' end,
  now() - interval '10 days', now() - make_interval(days => n % 12), case when n % 6 = 0 then now() - interval '1 day' end,
  jsonb_build_object('status', 'pending'), now() - interval '12 days'
from (select *, right(user_id::text, 12)::int as n from checkouts where completed_at is not null) c;

insert into payments (purchase_id, paywall_id, acquiring, processor_payment, kind, amount, currency, occurred_at)
select id, paywall_id, acquiring, 'pay_' || processor_id, kind, 999, 'USD', now() - interval '1 day'
from purchases, unnest(array['succeeded', 'refunded']) kind where kind = 'succeeded' or status = 'refunded';

insert into processor_events (paywall_id, acquiring, event_id) select paywall_id, acquiring, 'evt_' || processor_id from purchases;

insert into balances (paywall_id, user_id, type, count, previous_count, top_up, topped_up_on)
select m.paywall_id, m.user_id, type, case when type = 'standard' then 60 else 5 end, case when type = 'standard' then 70 else 0 end, 0,
  case when type = 'standard' then (now() at time zone 'utc')::date end
from members m, unnest(array['standard', 'premium']) type;

insert into ledger (paywall_id, user_id, type, delta, count_after, reason, reference)
select b.paywall_id, b.user_id, b.type, change.delta, change.count_after, change.reason, change.reference
from balances b join (values
  ('standard', 1, 10, 10, 'top_up', null), ('standard', 2, 60, 70, 'plan', 'sub'), ('standard', 3, -10, 60, 'debit', null),
  ('premium', 1, 5, 5, 'credit', null)
) change (type, turn, delta, count_after, reason, reference) using (type)
order by b.user_id, b.type, change.turn;

insert into balance_replies (paywall_id, idempotency_key, request_hash, reply)
select paywall_id, gen_random_uuid(), repeat('b', 64), '{"success": true}' from members limit 100;

insert into tickets (paywall_id, user_id, customer_email, subject, content)
select paywall_id, user_id, 'user@example.com', 'A subject', 'What it is about' from members limit 100;
insert into tickets (paywall_id, customer_email, subject, content) select id, 'guest@example.com', 'Guest', 'Hello' from paywalls;
insert into ticket_attachments (object_key, ticket_id, file_name, media_type, size)
select 'object-' || repeat('0', 10) || id, id, 'image.png', 'image/png', 100 from tickets where id % 3 = 0;
insert into ticket_quotas (paywall_id, who, opened) select paywall_id, 'user:' || user_id, array[now()] from members limit 100;

insert into sign_in_codes (paywall_id, email, code_hash, expires_at, sent)
select id, 'user-1@example.com', repeat('c', 64), now() + interval '10 minutes', array[now()] from paywalls;
insert into sign_in_sessions (id, paywall_id, user_id, token_hash, expires_at, ended_at)
select gen_random_uuid(), paywall_id, user_id, repeat('d', 64), now() + interval '90 days',
  case when merged_into is not null then now() end from members;

insert into webhook_endpoints (id, owner_id, url, secret, events)
select ('40000000-0000-4000-8000-' || right(id::text, 12))::uuid, id, 'https://owner.example/' || right(id::text, 1), 'sealed', '{*}'
from owners;

-- Three events about each member: the first is delivered to some, and to others a first attempt at it has failed or is under way.
insert into events (id, paywall_id, user_id, sequence, type, body)
select 'evt_' || md5(m.user_id::text || sequence), m.paywall_id, m.user_id, sequence, 'balance.changed',
  jsonb_build_object('id', 'evt_' || md5(m.user_id::text || sequence), 'type', 'balance.changed', 'timestamp', now(),
    'data', jsonb_build_object('paywall_id', m.paywall_id, 'user', jsonb_build_object('id', m.user_id), 'sequence', sequence))::text
from members m, generate_series(1, 3) sequence;
insert into events (id, paywall_id, sequence, type, body)
select 'evt_' || md5(id || 'guest' || n), id, 1, 'ticket.created', '{"data": {"user": {"id": null}, "sequence": 1}}'
from paywalls, generate_series(1, 2) n;

insert into deliveries (event_id, endpoint_id, paywall_id, user_id, sequence, state, attempts, next_attempt_at, locked_until, holder,
  last_status, finished_at)
select e.id, w.id, e.paywall_id, e.user_id, e.sequence,
  case when e.sequence = 1 and turn = 0 then 'delivered' when e.sequence = 1 and turn = 1 then 'failed' else 'pending' end,
  case when e.sequence = 1 and e.user_id is not null then 1 else 0 end, now() - interval '1 minute',
  case when e.sequence = 1 and turn = 2 then now() - interval '1 second' end, case when e.sequence = 1 and turn = 2 then gen_random_uuid() end,
  case when e.sequence = 1 and turn = 1 then 500 end, case when e.sequence = 1 and turn < 2 then now() end
from (select *, coalesce(right(user_id::text, 12)::int % 4, 3) as turn from events) e
join paywalls p on p.id = e.paywall_id join webhook_endpoints w on w.owner_id = p.owner_id;
