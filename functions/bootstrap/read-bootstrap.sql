-- The public structure of a paywall (contract section 4.1).
create function read_bootstrap(paywall_id text, host text) returns jsonb language plpgsql stable security definer as $$
declare
  paywall record;
begin
  paywall := find_paywall(paywall_id, host);
  if paywall.id is null then return verdict('unknown_paywall'); end if;
  return verdict('found') || jsonb_build_object('paywall', structure_json(paywall_id));
end $$;

-- A paywall's rows as bootstrap serves them. Each column is listed, so that no secret is ever included by accident.
create function structure_json(paywall_id text) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', p.id, 'name', p.name, 'settings', p.settings, 'geo', p.geo,
      'offers', p.offers, 'layout', p.layout, 'locales', p.locales,
      'now', iso(paywall_now(p.id)), 'discounts', public_offers(p.owner_id, p.id),
      'prices', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', price.id, 'slug', price.slug, 'label', price.label, 'currency', price.currency, 'amount', price.amount,
          'interval', price.interval, 'interval_count', price.interval_count, 'trial_days', price.trial_days,
          'features', price.features, 'access', price.access, 'per_unit', price.per_unit, 'tokens', price.tokens,
          'locals', price.locals
        ) order by price.position), '[]')
        from prices price where price.paywall_id = p.id and price.retired_at is null))
    from paywalls p where p.id = structure_json.paywall_id);
end $$;

-- The offers that take something off, without their codes and their limits, and without those that need a code. The caller of the API sees
-- those of the present time and of its country: see `toStructure` in lib/paywall/structure.ts.
create function public_offers(owner_id uuid, paywall_id text) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', o.id, 'title', o.title, 'badge', o.badge, 'discount', o.discount, 'prices', o.prices, 'countries', o.countries,
      'starts_at', iso(o.starts_at), 'ends_at', iso(o.ends_at), 'show', o.show
    ) order by o.position), '[]')
    from offers o
    where o.owner_id = public_offers.owner_id and o.paywall_id = public_offers.paywall_id
      and o.retired_at is null and o.show <> 'code');
end $$;
