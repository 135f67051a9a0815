-- The rules that stood in the schema, as functions in public and as generated columns, are from now on in the functions of a
-- release. The functions in public go first: statements of older Workers that write events need them, so from here on those
-- fail, and none of them can write a row in the old way behind this migration's back.
drop function sign_in(text, text, uuid, text), merge_member(text, uuid, uuid),
  is_paid(purchases), purchase_json(purchases), iso(timestamptz);

-- `drop expression` keeps every value and rewrites no table.
alter table checkouts alter column reconcile_at drop expression;
alter table purchases alter column reconcile_at drop expression;
drop function purchase_due(
  text, boolean, timestamptz, timestamptz, timestamptz, timestamptz, timestamptz, timestamptz, boolean, timestamptz
), look_again(timestamptz, interval, timestamptz), checkout_due(timestamptz, timestamptz);

-- A page that was never opened has nothing to ask the processor about. The generated column gave it a time all the same,
-- and the index left it out.
drop index checkouts_to_reconcile;
update checkouts set reconcile_at = null where session_id is null and completed_at is null and reconcile_at is not null;
create index checkouts_to_reconcile on checkouts (reconcile_at) where completed_at is null and reconcile_at is not null;

-- What one statement had to remember for its own RETURNING. A function has variables.
alter table balances drop column previous_count, drop column top_up;
alter table purchases drop column previous;
