-- The public structure of a paywall (contract section 4.1).
create function read_bootstrap(paywall_id text, host text) returns jsonb language plpgsql stable security definer as $$
declare
  paywall record;
begin
  paywall := find_paywall(paywall_id, host);
  if paywall.id is null then return verdict('unknown_paywall'); end if;
  return verdict('found') || jsonb_build_object('paywall', structure_json(paywall_id, null));
end $$;

-- A paywall's rows as bootstrap serves them to a user, or to a guest if `user_id` is null. Each column is listed, so that no secret is ever
-- included by accident.
create function structure_json(paywall_id text, user_id uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object(
      'id', p.id, 'name', p.name, 'settings', p.settings, 'geo', p.geo,
      'offers', p.offers, 'layout', p.layout, 'locales', p.locales,
      'now', iso(paywall_now(p.id)), 'discounts', public_offers(p.owner_id, p.id, user_id),
      'codes', code_times(p.owner_id, p.id), 'hidden_texts', hidden_texts(p.owner_id, p.id),
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

-- The discount offers that a user may still get without a code. Leaves out those that the user has used, and those that are used up. The
-- caller of the API sees those of the present time and of its country: see `toStructure` in
-- lib/paywall/structure.ts.
create function public_offers(owner_id uuid, paywall_id text, user_id uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(offer_json(o) order by o.position), '[]')
    from offers o
    where o.owner_id = public_offers.owner_id and o.paywall_id = public_offers.paywall_id
      and o.retired_at is null and o.show <> 'code'
      and not is_used_up(o, user_id, null) and not has_used_offer(o, user_id, null));
end $$;

-- When codes can be entered: the times of the offers that have one. No response lists the codes or these times:
-- see `toStructure`.
create function code_times(owner_id uuid, paywall_id text) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('starts_at', iso(o.starts_at), 'ends_at', iso(o.ends_at))), '[]')
    from offers o
    where (o.owner_id, o.paywall_id) = (code_times.owner_id, code_times.paywall_id) and o.retired_at is null and o.code is not null);
end $$;

-- The texts of offers that need a code, by their keys: titles and badges, except those of an offer that is listed. They are left out of the
-- locales: see `toStructure`.
create function hidden_texts(owner_id uuid, paywall_id text) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_agg(own.key), '[]')
    from (
      select used.key
      from offers o, unnest(array[o.title, o.badge]) used (key)
      where (o.owner_id, o.paywall_id) = (hidden_texts.owner_id, hidden_texts.paywall_id) and o.retired_at is null and used.key is not null
      group by used.key
      having bool_and(o.show = 'code')) own);
end $$;
