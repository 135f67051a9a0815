-- Finds the member's customer id at its processor, by the latest of its subscriptions that have not ended (contract section 4.5): a past
-- due or paused one eventually gives no access, and the portal is where its buyer replaces the card. The account is the one through which
-- the subscription was bought, even if the paywall has switched processors since. Merges `user_meta`, which only owners send, into the
-- member's meta, and locks the member's row for that.
create function find_portal_customer(
  paywall_id text, host text, user_meta jsonb, key_hash text default null, token_user_id uuid default null,
  token_audience text default null, token_session_id uuid default null, email text default null, external_id text default null
) returns jsonb language plpgsql security definer as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  gate record;
  member record;
  subscription purchases;
  merged_meta jsonb;
begin
  gate := open_gate(key_hash, token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  member := find_member(paywall_id, token_user_id, email, null, external_id);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;

  select * into subscription from purchases p
  where p.paywall_id = find_portal_customer.paywall_id and p.user_id = member.id
    and is_running(p, present) and p.begun and p.processor_customer is not null
  order by p.created_at desc, p.id limit 1;
  if not found then
    return verdict('no_subscription') || jsonb_build_object('is_test', gate.is_test) || logged(member.id);
  end if;

  if user_meta <> '{}' then
    select merge_meta(m.meta, user_meta) into merged_meta from members m
    where m.paywall_id = find_portal_customer.paywall_id and m.user_id = member.id for no key update;
    if merged_meta is null then return verdict('full_meta') || logged(member.id); end if;
    update members m set meta = merged_meta
    where m.paywall_id = find_portal_customer.paywall_id and m.user_id = member.id and m.meta <> merged_meta;
  end if;

  return verdict('found') || jsonb_build_object('is_test', gate.is_test, 'customer', (
    select jsonb_build_object(
      'account', account_json(subscription.paywall_id, subscription.acquiring),
      'customer', subscription.processor_customer, 'home', coalesce(
        p.settings ->> 'success_redirect_url', p.settings ->> 'error_redirect_url',
        (select c.success_url from checkouts c where c.id = subscription.checkout_id)))
    from paywalls p where p.id = subscription.paywall_id)) || logged(member.id, purchase_id => subscription.id);
end $$;
