-- Grants: access that an owner gives a user without a payment. A grant is no purchase: nothing is charged for it, it never prevents a sale,
-- and it credits no tokens.

-- A grant as the API shows it, without its reasons, which only the owner reads. `features` are those that the paywall file gives the price
-- now, as for a purchase.
create function grant_json(g grants) returns jsonb language plpgsql stable as $$
declare
  price prices;
begin
  select * into price from prices p where p.id = g.price_id;
  return jsonb_build_object(
    'id', g.id, 'price_id', g.price_id, 'price_slug', price.slug,
    'features', case when price.id is null then '{}' else price_features(price) end,
    'created_at', iso(g.created_at), 'ends_at', iso(g.ends_at),
    'ended_at', iso(coalesce(g.ended_at, case when g.ends_at <= paywall_now(g.paywall_id) then g.ends_at end)));
end $$;

-- Whether a grant gives access at a time: until its end, or until its owner took it back.
create function grants_access(g grants, at timestamptz) returns boolean language sql stable as $$
  select g.ended_at is null and g.ends_at > at
$$;

-- The price on sale that an owner names by its slug or its id; all null if there is none.
create function find_price_to_grant(paywall_id text, named text) returns prices language plpgsql stable as $$
begin
  return (
    select p from prices p
    where p.paywall_id = find_price_to_grant.paywall_id and p.retired_at is null and named in (p.id, p.slug)
    order by p.id = named desc limit 1);
end $$;

-- Who calls with an owner key or with a session of the console, as grants.granted_by has it.
create function key_reference(key_hash text) returns text language plpgsql stable as $$
begin
  return coalesce((select 'key:' || k.id from api_keys k where k.key_hash = key_reference.key_hash), 'team');
end $$;

-- Emits an event about a grant, with its reasons. The member's row must be locked. Returns the number of queued deliveries.
create function emit_grant_event(g grants, type text) returns integer language plpgsql as $$
begin
  return emit_event(g.owner_id, g.paywall_id, g.user_id, type,
    grant_json(g) || jsonb_build_object('reason', g.reason, 'end_reason', g.end_reason));
end $$;

-- Records that a grant has ended, and emits `grant.ended`. The member's row must be locked. Returns the number of queued deliveries.
create function record_grant_end(g grants, ended_at timestamptz, ended_by text default null, end_reason text default null)
returns integer language plpgsql as $$
begin
  update grants each
  set ended_at = record_grant_end.ended_at, ended_by = record_grant_end.ended_by, end_reason = record_grant_end.end_reason
  where (each.owner_id, each.id) = (g.owner_id, g.id) returning each.* into g;
  return emit_grant_event(g, 'grant.ended');
end $$;
