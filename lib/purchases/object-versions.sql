-- How new a read of a purchase is. Some processors read from replicas: a read may be older than the event that caused it, or than an
-- earlier read. Their objects have versions that grow with every change. `versions` is {id: version} of all the objects in a read, and
-- empty where reads are never stale.

-- How long a read without a known object counts as older. After that the object counts as deleted.
create function object_may_be_missing() returns interval language sql immutable as $$ select interval '10 minutes' $$;

-- Whether a read is older than what is known of a purchase: from the stored snapshot, or from a pending event.
create function is_outdated(before purchases, paywall_id text, acquiring text, processor_id text, versions jsonb) returns boolean
language plpgsql stable as $$
declare
  missing_since constant timestamptz := paywall_now(paywall_id) - object_may_be_missing();
begin
  if coalesce(versions, '{}') = '{}' then return false; end if;
  return is_behind(versions, before.versions, before.versions_at > missing_since)
    or exists (
      select from pending_events e
      where (e.paywall_id, e.acquiring, e.processor_id)
        = (is_outdated.paywall_id, is_outdated.acquiring, is_outdated.processor_id)
        and is_behind(is_outdated.versions, e.versions, e.received_at > missing_since));
end $$;

-- The newest known versions of a purchase's objects.
create function newest_versions(purchase purchases) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_object_agg(object.key, object.newest), '{}')
    from (
      select o.key, max(o.value::bigint) as newest
      from (
        select purchase.versions
        union all
        select e.versions from pending_events e
        where (e.paywall_id, e.acquiring, e.processor_id) = (purchase.paywall_id, purchase.acquiring, purchase.processor_id)) known
      cross join jsonb_each_text(known.versions) o
      group by o.key) object);
end $$;

-- Whether a read has an older version of a known object or, unless some may be missing, lacks one.
create function is_behind(versions jsonb, known jsonb, needs_all boolean) returns boolean language plpgsql immutable as $$
begin
  return exists (
    select from jsonb_each_text(known) object
    where case when versions ? object.key then (versions ->> object.key)::bigint < object.value::bigint else needs_all end);
end $$;

-- Whether a snapshot has a newer version of an object than the stored one, or an additional object.
create function is_newer_version(before purchases, snapshot jsonb) returns boolean language plpgsql immutable as $$
begin
  return exists (
    select from jsonb_each_text(snapshot -> 'versions') object
    where coalesce((before.versions ->> object.key)::bigint < object.value::bigint, true));
end $$;
