-- What a price gives besides tokens, by names of the owner's.
alter table prices add column features text[] not null default '{}' check (cardinality(features) <= 100);
