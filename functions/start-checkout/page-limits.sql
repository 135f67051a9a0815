-- Counts a hosted page that a user is about to open. Null if it may be opened; else the verdict `too_many_pages`, with the seconds to
-- `wait`. A user has ten per ten minutes. Anonymous users cost nothing to create, so the network has a limit, too; and so that many
-- networks together do not flood a paywall's account with pages, the paywall has one, far above what buyers need. An owner's page is not
-- counted, nor any page if `network` is null. Locks the rate limits.
create function consume_page(paywall_id text, user_id uuid, network text) returns jsonb language plpgsql as $$
declare
  period constant interval := '10 minutes';
  of_a_user constant bigint := 10;
  of_a_network constant bigint := 100;
  wait interval;
begin
  if user_id is null or network is null then return null; end if;
  wait := coalesce(
    consume('pages', 'user:' || user_id, 1, of_a_user, period),
    consume('pages', 'network:' || network, 1, of_a_network, period),
    consume_paywall_page(paywall_id, network, period));
  if wait is null then return null; end if;
  return verdict('too_many_pages') || jsonb_build_object('wait', ceil(extract(epoch from wait)));
end $$;

-- Consumes a page of the paywall's limit, or else of the small share that each network has there: so those many networks cannot stop the
-- paywall from selling. Null, or how long until the paywall's limit has room again.
create function consume_paywall_page(paywall_id text, network text, period interval) returns interval language plpgsql as $$
declare
  of_a_paywall constant bigint := 10000;
  of_a_network_there constant bigint := 3;
  wait constant interval := consume('pages', 'paywall:' || paywall_id, 1, of_a_paywall, period);
begin
  if wait is null then return null; end if;
  return case
    when consume('own pages', 'network:' || network || ' paywall:' || paywall_id, 1, of_a_network_there, period) is not null
      then wait end;
end $$;
