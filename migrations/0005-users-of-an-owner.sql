-- Users belong to an owner: who buys from two owners is two users, and neither owner can learn of the other's.
alter table paywalls add unique (owner_id, id);
alter table users
  drop constraint users_email_key,
  add column owner_id uuid references owners,
  add column external_id text check (char_length(external_id) between 1 and 255);
alter table members add column owner_id uuid;
update members m set owner_id = p.owner_id from paywalls p where p.id = m.paywall_id;

-- The users to come. Of a user whom several owners know, the owner whose member is the oldest keeps the id.
create table owned_users as
select user_id as old_id, owner_id, since,
  case when row_number() over (partition by user_id order by since, owner_id) = 1 then user_id else gen_random_uuid() end as id
from (
  select user_id, owner_id, min(created_at) as since from (
    select user_id, owner_id, created_at from members
    union all
    select merged_into, owner_id, created_at from members where merged_into is not null) known
  group by user_id, owner_id) known;
update users u set owner_id = o.owner_id from owned_users o where o.id = u.id;
insert into users (id, owner_id, email, created_at)
select o.id, o.owner_id, u.email, o.since from owned_users o join users u on u.id = o.old_id where o.id <> o.old_id;

-- What is about the users that got a new id. The bodies of events are signed bytes and stay as they are.
create table moved_members as
select m.paywall_id, o.old_id, o.id from members m
join owned_users o on o.old_id = m.user_id and o.owner_id = m.owner_id where o.id <> o.old_id;
analyze owned_users;
analyze moved_members;
insert into members (paywall_id, user_id, owner_id, name, meta, event_sequence, open_session, merged_into, created_at)
select m.paywall_id, n.id, m.owner_id, m.name, m.meta, m.event_sequence, m.open_session, m.merged_into, m.created_at
from members m join moved_members n on (n.paywall_id, n.old_id) = (m.paywall_id, m.user_id);
insert into balances (paywall_id, user_id, type, count, topped_up_on)
select b.paywall_id, n.id, b.type, b.count, b.topped_up_on
from balances b join moved_members n on (n.paywall_id, n.old_id) = (b.paywall_id, b.user_id);
update checkouts t set user_id = n.id from moved_members n where (t.paywall_id, t.user_id) = (n.paywall_id, n.old_id);
update purchases t set user_id = n.id from moved_members n where (t.paywall_id, t.user_id) = (n.paywall_id, n.old_id);
update ledger t set user_id = n.id from moved_members n where (t.paywall_id, t.user_id) = (n.paywall_id, n.old_id);
update tickets t set user_id = n.id from moved_members n where (t.paywall_id, t.user_id) = (n.paywall_id, n.old_id);
update sign_in_sessions t set user_id = n.id from moved_members n where (t.paywall_id, t.user_id) = (n.paywall_id, n.old_id);
update events t set user_id = n.id from moved_members n where (t.paywall_id, t.user_id) = (n.paywall_id, n.old_id);
update deliveries t set user_id = n.id from moved_members n where (t.paywall_id, t.user_id) = (n.paywall_id, n.old_id);
update checkout_claims t set caller = 'user:' || n.id
from moved_members n where (t.paywall_id, t.caller) = (n.paywall_id, 'user:' || n.old_id);
update ticket_quotas t set who = 'user:' || n.id
from moved_members n where (t.paywall_id, t.who) = (n.paywall_id, 'user:' || n.old_id);
delete from balances b using moved_members n where (b.paywall_id, b.user_id) = (n.paywall_id, n.old_id);
delete from members m using moved_members n where (m.paywall_id, m.user_id) = (n.paywall_id, n.old_id);
update members m set merged_into = o.id
from owned_users o where (o.old_id, o.owner_id) = (m.merged_into, m.owner_id) and o.id <> o.old_id;

-- Who never came to any paywall is nobody's user.
delete from users where owner_id is null;
drop table owned_users, moved_members;

alter table users
  alter column owner_id set not null,
  drop constraint users_email_check,
  add constraint users_email_check
    check (email = lower(btrim(email)) and email ~ '^[!-~]+$' and char_length(email) between 3 and 254),
  add unique (owner_id, id),
  add unique (owner_id, email),
  add unique (owner_id, external_id);
alter table members
  alter column owner_id set not null,
  drop constraint members_paywall_id_fkey,
  drop constraint members_user_id_fkey,
  drop constraint members_merged_into_fkey,
  add foreign key (owner_id, paywall_id) references paywalls (owner_id, id),
  add foreign key (owner_id, user_id) references users (owner_id, id),
  add foreign key (owner_id, merged_into) references users (owner_id, id);

-- No address is another one in disguise: all that were taken so far are ASCII.
alter table owners
  drop constraint owners_email_check,
  add constraint owners_email_check
    check (email = lower(btrim(email)) and email ~ '^[!-~]+$' and char_length(email) between 3 and 254);
alter table tickets
  drop constraint tickets_customer_email_check,
  add constraint tickets_customer_email_check check (customer_email ~ '^[!-~]+$' and char_length(customer_email) <= 254);
alter table sign_in_codes
  drop constraint sign_in_codes_email_check,
  add constraint sign_in_codes_email_check check (email ~ '^[!-~]+$' and char_length(email) between 3 and 254);

create index members_of_user on members (user_id);
create index members_merged_into on members (merged_into) where merged_into is not null;

-- The Workers of the releases before go on for the minutes of the deploy, and their functions look for a user by the address
-- alone, and make users and members without an owner. Those statements get the owner of the paywall, which each of these
-- functions has as `paywall_id`. One that is written in any other way fails by the new keys, and mixes nothing up.
do $$
declare
  owner constant text := '(select p.owner_id from paywalls p where p.id = paywall_id)';
  definition text;
begin
  for definition in
    select pg_get_functiondef(f.oid) from pg_proc f
    join pg_namespace n on n.oid = f.pronamespace join releases r on r.name = n.nspname
    where f.prokind = 'f' and f.prosrc ~ 'insert into (users|members)|from users u where u\.email = '
  loop
    definition := replace(definition, 'from users u where u.email = ', 'from users u where u.owner_id = ' || owner || ' and u.email = ');
    definition := replace(definition, 'insert into users as u (email) values (', 'insert into users as u (owner_id, email) values (' || owner || ', ');
    definition := replace(definition, 'insert into members (paywall_id, user_id) values (',
      'insert into members (owner_id, paywall_id, user_id) values (' || owner || ', ');
    definition := replace(definition, 'on conflict (email)', 'on conflict (owner_id, email)');
    execute replace(definition, 'users_email_key', 'users_owner_id_email_key');
  end loop;
end $$;
