-- What strangers could use up is counted in rows: see lib/db/budget.sql.
create table budgets (
  what         text not null check (char_length(what) between 1 and 50),
  who          text not null check (char_length(who) between 1 and 100),
  window_start timestamptz not null,
  taken        bigint not null,
  primary key (what, who)
) with (autovacuum_vacuum_scale_factor = 0.01);
create index budgets_by_age on budgets (window_start);
