-- What strangers may have stored: guests, and anonymous users who have bought nothing. Anybody can open tickets under any number of
-- addresses, or as any number of such users, and tickets and images stay. If `network` is null nothing is counted.
--
-- Tickets: 1,000 of a network, on all paywalls, which come back one by one, all of them in a day. Bytes of images in 24 hours: for a
-- paywall `settings.limits.guest_image_bytes_a_day`, 200 MB where it is left out; for a network 100 MB, on all paywalls. The
-- network's are those of all who have bought nothing, since one mailbox makes any number of users with addresses, too.

create function most_guest_tickets_of_network() returns integer language sql immutable as $$ select 1000 $$;

create function guest_ticket_period() returns interval language sql immutable as $$ select interval '24 hours' $$;

-- Counts a ticket for its network. Null: it may be opened; else the seconds until there is room again. Locks the budget.
create function take_guest_ticket(network text) returns integer language plpgsql as $$
begin
  if network is null then return null; end if;
  return ceil(extract(epoch from
    take_from_network('guest_tickets', network, most_guest_tickets_of_network(), guest_ticket_period())));
end $$;

-- The seconds until a ticket would be taken again, if there is no room for any now; else null. Locks nothing.
create function guest_ticket_wait(network text) returns integer language plpgsql stable as $$
begin
  return ceil(extract(epoch from
    network_wait('guest_tickets', network, most_guest_tickets_of_network(), guest_ticket_period())));
end $$;

create function guest_image_period() returns interval language sql immutable as $$ select interval '24 hours' $$;

create function most_guest_images_of_network() returns bigint language sql immutable as $$ select 100 * 1024 * 1024::bigint $$;

create function most_guest_images_of_paywall(paywall_id text) returns bigint language plpgsql stable as $$
begin
  return (
    select coalesce((p.settings -> 'limits' ->> 'guest_image_bytes_a_day')::bigint, 200 * 1024 * 1024)
    from paywalls p where p.id = paywall_id);
end $$;

-- Counts the images of a ticket, those of a stranger for the paywall, too. Null: they may be stored; else the seconds until there is
-- room again. Locks the budgets.
create function take_images(paywall_id text, is_stranger boolean, network text, attachments jsonb) returns integer
language plpgsql as $$
declare
  period constant interval := guest_image_period();
  bytes constant bigint := (select sum((a ->> 'size')::bigint) from jsonb_array_elements(attachments) a);
begin
  if network is null or bytes is null then return null; end if;
  return ceil(extract(epoch from coalesce(
    take_from_budget('guest_images', 'network:' || network, bytes, most_guest_images_of_network(), period),
    case when is_stranger then
      take_from_budget('guest_images', 'paywall:' || paywall_id, bytes, most_guest_images_of_paywall(paywall_id), period) end)));
end $$;

-- The seconds until images would be taken again, if there is no room for any now; else null. Locks nothing.
create function images_wait(paywall_id text, is_stranger boolean, network text) returns integer language plpgsql stable as $$
declare
  period constant interval := guest_image_period();
  of_paywall constant bigint := most_guest_images_of_paywall(paywall_id);
begin
  if network is null then return null; end if;
  if is_stranger and of_paywall = 0 then return extract(epoch from period); end if;
  return (
    select ceil(extract(epoch from max(b.window_start) + period - now())) from budgets b
    where b.what = 'guest_images' and b.window_start > now() - period
      and (b.who = 'network:' || network and b.taken >= most_guest_images_of_network()
        or is_stranger and b.who = 'paywall:' || paywall_id and b.taken >= of_paywall));
end $$;
