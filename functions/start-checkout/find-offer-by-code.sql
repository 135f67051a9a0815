-- Finds the offer of a code that a user has entered, before it is used at a checkout, so that prices can be shown with it. The attempt is
-- counted as in a checkout: see consume_code. `reason` as in find_offer; no price is chosen yet.
--
--   network  the network of the call; null: it is not counted
create function find_offer_by_code(
  token_user_id uuid, token_audience text, token_session_id uuid, paywall_id text, host text, code text, country text,
  network text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  refused jsonb;
  wanted record;
begin
  gate := open_user_gate(token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  refused := consume_code(token_user_id, network);
  if refused is not null then return refused || logged(token_user_id); end if;
  wanted := find_offer(paywall_id, null, code, false, token_user_id, null, null, '[]', country, null);
  if (wanted.offer).id is not null then perform refund_code(token_user_id, network); end if;
  if wanted.reason is not null then
    return verdict('invalid_offer') || jsonb_build_object('reason', wanted.reason) || logged(token_user_id);
  end if;
  return verdict('found') || logged(token_user_id)
    || jsonb_build_object(
      'offer', offer_json(wanted.offer), 'texts', offer_texts(paywall_id, wanted.offer), 'now', iso(paywall_now(paywall_id)));
end $$;

-- The texts of an offer's title and badge, by locale. Bootstrap leaves out those of an offer that needs a code.
create function offer_texts(paywall_id text, offer offers) returns jsonb language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_object_agg(locale.name, (
      select coalesce(jsonb_object_agg(text.key, text.value), '{}')
      from jsonb_each(locale.texts) text
      where text.key in (offer.title, offer.badge))), '{}')
    from paywalls p, jsonb_each(p.locales) locale (name, texts)
    where p.id = offer_texts.paywall_id);
end $$;
