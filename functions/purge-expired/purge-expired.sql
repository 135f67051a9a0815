-- Deletes expired rows, at most `count` of each table, the oldest first, and redacts as many old events (redact-old-events.sql). Returns
-- the total number of rows. Locked rows are in use and skipped, so this waits for nobody. Each delete uses an index `by_age`.
--
-- Everything but deliveries and their attempts is kept an hour longer than it is valid, so that a call that is in flight still finds it. A
-- refresh token whose session row is deleted is refused like one whose session has ended.
create function purge_expired(count integer) returns jsonb language plpgsql security definer
set enable_seqscan = off -- a plan cached while a table was empty must not scan all of it later
as $$
declare
  extra constant interval := '1 hour';
  reply_deadline constant timestamptz := now() - (idempotency_window() + extra);
  quota_deadline constant timestamptz := now() - (quota_window() + extra);
  sign_in_deadline constant timestamptz := now() - extra;
  rate_limit_deadline constant timestamptz := now() - (interval '24 hours' + extra); -- each is full again after a day
  delivery_deadline constant timestamptz := now() - interval '30 days';
  deleted bigint;
  forgotten bigint := 0;
begin
  delete from idempotent_replies where ctid = any (array(
    select r.ctid from idempotent_replies r where r.created_at <= reply_deadline
    order by r.created_at limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from checkout_claims where ctid = any (array(
    select k.ctid from checkout_claims k where k.claimed_at <= reply_deadline
    order by k.claimed_at limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from plan_changes where ctid = any (array(
    select c.ctid from plan_changes c where c.created_at <= reply_deadline
    order by c.created_at limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from ticket_quotas where ctid = any (array(
    select q.ctid from ticket_quotas q where q.opened[cardinality(q.opened)] <= quota_deadline
    order by q.opened[cardinality(q.opened)] limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from sign_in_challenges where ctid = any (array(
    select c.ctid from sign_in_challenges c where c.expires_at <= sign_in_deadline
    order by c.expires_at limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from sign_in_sessions where ctid = any (array(
    select s.ctid from sign_in_sessions s where least(s.ended_at, s.expires_at) <= sign_in_deadline
    order by least(s.ended_at, s.expires_at) limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from console_sessions where ctid = any (array(
    select s.ctid from console_sessions s where s.expires_at <= sign_in_deadline
    order by s.expires_at limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from rate_limits where ctid = any (array(
    select l.ctid from rate_limits l where l.refilled_at <= rate_limit_deadline
    order by l.refilled_at limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from delivery_attempts where ctid = any (array(
    select a.ctid from delivery_attempts a where a.attempted_at <= delivery_deadline
    order by a.attempted_at limit count for update skip locked));
  get diagnostics deleted = row_count;
  forgotten := forgotten + deleted;

  delete from deliveries where ctid = any (array(
    select d.ctid from deliveries d where d.state = 'delivered' and d.finished_at <= delivery_deadline
    order by d.finished_at limit count for update skip locked));
  get diagnostics deleted = row_count;
  return to_jsonb(forgotten + deleted + redact_old_events(count));
end $$;
