-- What was paid back of a one-time purchase may come again without a webhook that says so: it is looked at as one that is paid is
-- (paid_back_due in lib/db/due-times.sql). Those that are there get their first look within a day, each at another time, so that
-- they do not all come at once.
update purchases set reconcile_at = greatest(created_at + interval '1 day', now() + random() * interval '1 day')
where interval is null and status = 'refunded' and reconcile_at is null and created_at > now() - interval '1 year';
