-- A processor is a row, so that another one needs no migration. What is sold, paid and told of belongs to an account at it.
create table processors (
  acquiring text primary key check (char_length(acquiring) between 1 and 50)
);
insert into processors select acquiring from paywalls union select acquiring from processor_accounts;

alter table paywalls drop constraint paywalls_acquiring_check, add foreign key (acquiring) references processors;
alter table processor_accounts drop constraint processor_accounts_acquiring_check, add foreign key (acquiring) references processors;
alter table checkouts drop constraint checkouts_acquiring_check,
  add foreign key (paywall_id, acquiring) references processor_accounts;
alter table purchases drop constraint purchases_acquiring_check,
  add foreign key (paywall_id, acquiring) references processor_accounts;
alter table payments drop constraint payments_acquiring_check, drop constraint payments_paywall_id_fkey,
  add foreign key (paywall_id, acquiring) references processor_accounts;
alter table processor_events drop constraint processor_events_acquiring_check, drop constraint processor_events_paywall_id_fkey,
  add foreign key (paywall_id, acquiring) references processor_accounts;

-- A processor that keeps no metadata tells only what was sold, and to whom.
alter table checkouts add column processor_price text check (char_length(processor_price) between 1 and 255);
