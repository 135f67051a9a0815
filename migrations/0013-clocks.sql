-- How far the clock of a test paywall was moved ahead. A live one goes by the real time.
alter table paywalls add column clock_offset interval not null default '0' check (clock_offset >= '0'),
  add constraint paywalls_live_clock check (is_test or clock_offset = '0');
