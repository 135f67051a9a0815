-- Counts a hosted page that a user is about to open. Null: it may be opened; else the verdict `too_many_pages`, with how many
-- seconds to `wait`. A user has ten in ten minutes. Anonymous users cost nothing to make, so the network has its limit, too; and
-- so that many networks together do not fill a paywall's account with pages, the paywall has one, far above what buyers need. An
-- owner's page is not counted, nor any page if `network` is null.
create function take_page(paywall_id text, user_id uuid, network text) returns jsonb language plpgsql as $$
declare
  period constant interval := '10 minutes';
  of_a_user constant bigint := 10;
  of_a_network constant bigint := 100;
  of_a_paywall constant bigint := 10000;
  wait interval;
begin
  if user_id is null or network is null then return null; end if;
  wait := coalesce(
    take_from_budget('pages', 'user:' || user_id, 1, of_a_user, period),
    take_from_budget('pages', 'network:' || network, 1, of_a_network, period),
    take_from_budget('pages', 'paywall:' || paywall_id, 1, of_a_paywall, period));
  if wait is null then return null; end if;
  return verdict('too_many_pages') || jsonb_build_object('wait', ceil(extract(epoch from wait)));
end $$;
