-- What a user's own calls write into its meta is kept apart from what the owner writes. Whose the rows so far are is not known:
-- they stay the owner's.
alter table members
  add column buyer_meta jsonb not null default '{}',
  add constraint members_buyer_meta_check check (jsonb_typeof(buyer_meta) = 'object');

-- Whom a buyer is at the processor, for each currency that it has bought in.
alter table checkouts
  add column customers jsonb not null default '{}',
  add constraint checkouts_customers_check check (jsonb_typeof(customers) = 'object');
