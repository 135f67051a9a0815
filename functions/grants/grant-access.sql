-- Gives a member access until `ends_at`, or for `days`, of which one is null. `price`: the slug or the id of the price whose features the
-- member gets; null: access without features. `granted_by`: 'key:<id>' of the owner key, or 'command'. Shared by the endpoint and
-- `paywall grants give`. Locks the member.
create function grant_access(
  paywall_id text, email text, user_id text, external_id text,
  price text, days integer, ends_at timestamptz, reason text, granted_by text
) returns jsonb language plpgsql as $$
declare
  longest constant interval := '87600 hours'; -- 3,650 days
  present constant timestamptz := paywall_now(paywall_id);
  end_at constant timestamptz := coalesce(ends_at, present + make_interval(hours => 24 * days));
  member record;
  granted_price prices;
  refusal text;
  added grants;
begin
  member := lock_member(paywall_id, null, email, user_id, external_id);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;

  granted_price := find_price_to_grant(paywall_id, price);
  refusal := case
    when price is not null and granted_price.id is null then 'unknown_price'
    when not granted_price.access then 'price_without_access'
    when end_at <= present or end_at > present + longest then 'end_out_of_range' end;
  if refusal is not null then return verdict(refusal) || logged(member.id, price_id => granted_price.id); end if;

  insert into grants as g (owner_id, paywall_id, user_id, price_id, reason, granted_by, ends_at, created_at)
  select p.owner_id, p.id, member.id, granted_price.id, grant_access.reason, grant_access.granted_by, end_at, present
  from paywalls p where p.id = grant_access.paywall_id
  returning g.* into added;
  return verdict('granted') || logged(member.id, price_id => granted_price.id) || jsonb_build_object(
    'queued', emit_grant_event(added, 'grant.created'),
    'reply', jsonb_build_object('user_id', member.id, 'grant', grant_json(added)));
end $$;
