-- On top of fill-before-releases.sql, after the migrations before users belonged to an owner: user 204, who is a member of the
-- first owner's paywall 1001 and has something in every table there, is a member of the second owner's 1002, too, and was so
-- first. An anonymous user was merged into it on each of the two. Nobody has ever seen user 999.
insert into users (id, email) values ('20000000-0000-4000-8000-000000000999', 'user-999@example.com');
insert into users (id) select ('20000000-0000-4000-8000-00000000040' || n)::uuid from generate_series(1, 2) n;
insert into members (paywall_id, user_id, name, event_sequence, created_at)
values ('1002', '20000000-0000-4000-8000-000000000204', 'Other name', 1, now() - interval '1 year');
insert into members (paywall_id, user_id, merged_into)
select '100' || n, ('20000000-0000-4000-8000-00000000040' || n)::uuid, '20000000-0000-4000-8000-000000000204'
from generate_series(1, 2) n;
insert into balances (paywall_id, user_id, type, count) values ('1002', '20000000-0000-4000-8000-000000000204', 'premium', 3);
insert into ledger (paywall_id, user_id, type, delta, count_after, reason)
values ('1002', '20000000-0000-4000-8000-000000000204', 'premium', 3, 3, 'credit');
insert into events (id, paywall_id, user_id, sequence, type, body)
values ('evt_' || repeat('9', 32), '1002', '20000000-0000-4000-8000-000000000204', 1, 'balance.changed', '{}');
insert into tickets (paywall_id, user_id, subject, content)
select paywall_id, user_id, 'Which owner', 'Mine' from members where user_id = '20000000-0000-4000-8000-000000000204';
insert into ticket_quotas (paywall_id, who, opened)
select paywall_id, 'user:' || user_id, array[now()] from members where user_id = '20000000-0000-4000-8000-000000000204'
on conflict do nothing;
insert into checkout_claims (paywall_id, caller, idempotency_key, request_hash, checkout_id, holder, leased_until)
select paywall_id, 'user:' || user_id, gen_random_uuid(), repeat('a', 64), gen_random_uuid(), gen_random_uuid(), now()
from members where user_id = '20000000-0000-4000-8000-000000000204';
