-- Which releases of database functions are installed: see cli/migrate/release.ts.
create table releases (
  name         text primary key check (name ~ '^release_[0-9a-f]{16}$'),
  installed_at timestamptz not null default now()
);
