-- What a user's own calls write into its meta is kept apart from what the owner writes. Whose the rows so far are is not known:
-- they stay the owner's.
alter table members
  add column buyer_meta jsonb not null default '{}',
  add constraint members_buyer_meta_check check (jsonb_typeof(buyer_meta) = 'object');

-- Whom a buyer is at the processor, for each currency that it has bought in.
alter table checkouts
  add column customers jsonb not null default '{}',
  add constraint checkouts_customers_check check (jsonb_typeof(customers) = 'object');

-- A buyer has one trial, whatever pages it had open when that began. Pages that were opened until now were promised theirs.
alter table checkouts add column further_trial boolean not null default true;

-- The tokens of a trial are told apart from those of a period that was paid for. The check of the rows reads the whole ledger.
alter table ledger
  drop constraint ledger_reason_check,
  add constraint ledger_reason_check check (reason in ('top_up', 'plan', 'trial', 'credit', 'debit', 'merge'));
