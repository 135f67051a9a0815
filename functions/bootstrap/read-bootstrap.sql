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
      'prices', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', price.id, 'slug', price.slug, 'label', price.label, 'currency', price.currency, 'amount', price.amount,
          'interval', price.interval, 'interval_count', price.interval_count, 'trial_days', price.trial_days,
          'features', price.features, 'access', price.access, 'tokens', price.tokens,
          'locals', price.locals
        ) order by price.position), '[]')
        from prices price where price.paywall_id = p.id and price.retired_at is null))
    from paywalls p where p.id = structure_json.paywall_id);
end $$;
