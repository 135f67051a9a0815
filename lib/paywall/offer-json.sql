-- An offer as everybody may know it: without its code, its limit and the id of the processor's discount. See `PublicOffer` in structure.ts.
create function offer_json(offer offers) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object(
    'id', offer.id, 'title', offer.title, 'badge', offer.badge, 'discount', offer.discount, 'prices', offer.prices,
    'countries', offer.countries, 'starts_at', iso(offer.starts_at), 'ends_at', iso(offer.ends_at), 'show', offer.show);
end $$;
