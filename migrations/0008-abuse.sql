-- What nobody paid for, and who never bought anything, is forgotten after 30 days: `forget_at` says when to look whether a row can
-- go. A default that is the same for all rows is kept in the catalog: no checkout is written.
alter table checkouts add column forget_at timestamptz default now() + interval '30 days';
create index checkouts_by_age on checkouts (forget_at) where forget_at is not null;
alter table users add column forget_at timestamptz;
update users set forget_at = now() + interval '30 days' where email is null;
create index users_by_age on users (forget_at) where forget_at is not null;

-- Whoever deletes a user, a member, a balance or a checkout looks for what refers to it.
create index purchases_of_checkout on purchases (checkout_id);
create index ledger_of_member on ledger (paywall_id, user_id, type);
drop index tickets_of_user;
create index tickets_of_user on tickets (user_id, paywall_id) where user_id is not null;

-- A browser that comes back asks the processor at most once in five seconds a checkout.
alter table checkouts add column asked_at timestamptz;

-- The reconcile cron takes turns between paywalls.
drop index checkouts_to_reconcile;
create index checkouts_to_reconcile on checkouts (paywall_id, reconcile_at)
  where completed_at is null and reconcile_at is not null;
drop index purchases_to_reconcile;
create index purchases_to_reconcile on purchases (paywall_id, reconcile_at) where reconcile_at is not null;
