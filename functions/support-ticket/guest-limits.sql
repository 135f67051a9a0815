-- Storage limits for anonymous senders: guests, and anonymous users who have bought nothing. Anybody can open tickets with any number of
-- addresses, or as any number of such users, and tickets and images are kept for ever. If `network` is null nothing is counted.
--
-- Tickets: 1,000 per network on all paywalls, refilled continuously within a day. Bytes of images per 24 hours: for a paywall
-- `settings.limits.guest_image_bytes_a_day`, by default 200 MB; for a network 100 MB on all paywalls. The network's limit includes users
-- with addresses who have bought nothing, since one mailbox can create any number of those, too.

create function most_guest_tickets_of_network() returns integer language sql immutable as $$ select 1000 $$;

create function guest_ticket_period() returns interval language sql immutable as $$ select interval '24 hours' $$;

-- Counts a ticket for its network. Null if it may be opened; else the seconds until there is room again. Locks the rate limit.
create function consume_guest_ticket(network text) returns integer language plpgsql as $$
begin
  if network is null then return null; end if;
  return ceil(extract(epoch from
    consume('guest_tickets', 'network:' || network, 1, most_guest_tickets_of_network(), guest_ticket_period())));
end $$;

-- The seconds until the rate limit has room for a ticket; null if it has room now. Locks nothing.
create function guest_ticket_wait(network text) returns integer language plpgsql stable as $$
begin
  return ceil(extract(epoch from
    wait_for_refill('guest_tickets', 'network:' || network, 1, most_guest_tickets_of_network(), guest_ticket_period())));
end $$;

create function guest_image_period() returns interval language sql immutable as $$ select interval '24 hours' $$;

create function most_guest_images_of_network() returns bigint language sql immutable as $$ select 100 * 1024 * 1024::bigint $$;

create function most_guest_images_of_paywall(paywall_id text) returns bigint language plpgsql stable as $$
begin
  return (
    select coalesce((p.settings -> 'limits' ->> 'guest_image_bytes_a_day')::bigint, 200 * 1024 * 1024)
    from paywalls p where p.id = paywall_id);
end $$;

-- Counts the images of a ticket; those of anonymous senders also count for the paywall. Null if they may be stored, else the seconds until
-- there is room again. Locks the rate limits.
create function consume_images(paywall_id text, is_anonymous_sender boolean, network text, attachments jsonb) returns integer
language plpgsql as $$
declare
  period constant interval := guest_image_period();
  bytes constant bigint := (select sum((a ->> 'size')::bigint) from jsonb_array_elements(attachments) a);
begin
  if network is null or bytes is null then return null; end if;
  return ceil(extract(epoch from coalesce(
    consume('guest_images', 'network:' || network, bytes, most_guest_images_of_network(), period),
    case when is_anonymous_sender then
      consume('guest_images', 'paywall:' || paywall_id, bytes, most_guest_images_of_paywall(paywall_id), period) end)));
end $$;

-- The seconds until the rate limits have room for images; null if they have room now. A bucket with less than a hundredth counts as empty,
-- because some bytes are always refilled: images that open_ticket refuses must not be stored again and again. Locks nothing.
create function images_wait(paywall_id text, is_anonymous_sender boolean, network text) returns integer language plpgsql stable as $$
declare
  period constant interval := guest_image_period();
  of_network constant bigint := most_guest_images_of_network();
  of_paywall constant bigint := most_guest_images_of_paywall(paywall_id);
begin
  if network is null then return null; end if;
  return ceil(extract(epoch from greatest(
    wait_for_refill('guest_images', 'network:' || network, of_network / 100, of_network, period),
    case when is_anonymous_sender then
      wait_for_refill('guest_images', 'paywall:' || paywall_id, greatest(of_paywall / 100, 1), of_paywall, period) end)));
end $$;
