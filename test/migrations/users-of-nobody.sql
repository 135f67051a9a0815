-- The functions of the last release in which users belonged to nobody that look for a user by its address or make one, with what
-- they call, as they were.

create function verdict(name text) returns jsonb language sql stable as $$
  select jsonb_build_object('verdict', name)
$$;

create function find_paywall(
  paywall_id text, host text, out id text, out owner_id uuid, out is_test boolean, out settings jsonb
) language plpgsql stable as $$
begin
  select p.id, p.owner_id, p.is_test, p.settings into id, owner_id, is_test, settings
  from paywalls p
  where p.id = paywall_id
    and not exists (select from paywalls other where other.domain = host and other.id <> paywall_id);
end $$;

create function as_uuid(text text) returns uuid language sql immutable as $$
  select case when text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then text::uuid end
$$;

create function find_named_user(paywall_id text, email text, user_id text) returns uuid language plpgsql stable as $$
declare
  named_id uuid := as_uuid(user_id);
  known_id uuid;
begin
  if user_id is null then
    return (select u.id from users u where u.email = find_named_user.email);
  end if;
  select m.merged_into into known_id from members m
  where m.paywall_id = find_named_user.paywall_id and m.user_id = named_id;
  return (
    select u.id from users u
    where u.id = coalesce(known_id, named_id) and (find_named_user.email is null or u.email = find_named_user.email));
end $$;

create function merge_meta(meta jsonb, added jsonb) returns jsonb language plpgsql immutable as $$
declare
  largest constant integer := 64 * 1024; -- bytes of its JSON, all merges together
  merged constant jsonb := meta || added;
begin
  if octet_length(merged::text) > greatest(largest, octet_length(meta::text)) then return null; end if;
  return merged;
end $$;

create function lock_buyer(
  paywall_id text, token_user_id uuid, email text, user_meta jsonb, price prices, ignore_active_purchase boolean,
  out refusal text, out user_id uuid, out merged_meta jsonb
) language plpgsql as $$
declare
  member members;
begin
  user_id := coalesce(token_user_id, (select u.id from users u where u.email = lock_buyer.email));
  if user_id is null then
    insert into users as u (email) values (email)
    on conflict on constraint users_email_key do update set created_at = u.created_at returning u.id into user_id;
  end if;

  insert into members (paywall_id, user_id) values (paywall_id, user_id) on conflict on constraint members_pkey do nothing;
  select * into member from members m
  where m.paywall_id = lock_buyer.paywall_id and m.user_id = lock_buyer.user_id for no key update;
  if member.merged_into is not null then
    refusal := 'unknown_user';
    return;
  end if;

  merged_meta := merge_meta(member.meta, user_meta);
  refusal := case
    when merged_meta is null then 'full_meta'
    when not ignore_active_purchase and has_active_purchase(user_id, price) then 'active_purchase' end;
end $$;

create function user_of_address(paywall_id text, address text, anonymous_id uuid) returns uuid language plpgsql as $$
declare
  known_id uuid;
  is_anonymous boolean;
begin
  -- First the anonymous user's row: whoever else signs it in waits here, and then finds it known or merged.
  perform from users u where u.id = anonymous_id and u.email is null for no key update;
  is_anonymous := exists (
    select from users u join members m on m.user_id = u.id
    where u.id = anonymous_id and u.email is null
      and m.paywall_id = user_of_address.paywall_id and m.merged_into is null);
  if is_anonymous and give_address(paywall_id, address, anonymous_id) then return anonymous_id; end if;

  select u.id into known_id from users u where u.email = address;
  if not found then
    insert into users as u (email) values (address)
    on conflict (email) do update set created_at = u.created_at returning u.id into known_id;
  end if;
  insert into members (paywall_id, user_id) values (paywall_id, known_id)
  on conflict on constraint members_pkey do nothing;
  if is_anonymous then perform merge_member(paywall_id, anonymous_id, known_id); end if;
  return known_id;
end $$;

create function give_address(paywall_id text, address text, anonymous_id uuid) returns boolean language plpgsql as $$
begin
  if exists (select from users u where u.email = address) then return false; end if;
  update users u set email = address where u.id = anonymous_id;
  perform end_sessions(paywall_id, anonymous_id);
  return true;
exception when unique_violation then
  return false; -- somebody made the address a user this very moment: that user it is
end $$;

create function end_sessions(paywall_id text, user_id uuid) returns void language plpgsql as $$
begin
  update sign_in_sessions s set ended_at = now()
  where s.paywall_id = end_sessions.paywall_id and s.user_id = end_sessions.user_id and s.ended_at is null;
end $$;

create function sign_in_anonymously(
  paywall_id text, host text, session_id uuid, token_hash text, token_days integer
) returns jsonb language plpgsql security definer as $$
declare
  user_id uuid;
begin
  if (select p.id from find_paywall(paywall_id, host) p) is null then return verdict('unknown_paywall'); end if;

  insert into users as u (email) values (null) returning u.id into user_id;
  insert into members (paywall_id, user_id) values (paywall_id, user_id);
  return begin_session(paywall_id, user_id, session_id, token_hash, token_days);
end $$;

create function begin_session(
  paywall_id text, user_id uuid, session_id uuid, token_hash text, token_days integer
) returns jsonb language plpgsql as $$
begin
  insert into sign_in_sessions (id, paywall_id, user_id, token_hash, expires_at)
  values (session_id, paywall_id, user_id, token_hash, now() + make_interval(days => token_days));
  return sign_in_result(paywall_id, user_id);
end $$;

create function sign_in_result(paywall_id text, user_id uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select verdict('signed_in') || jsonb_build_object('user',
      jsonb_build_object('id', u.id, 'email', u.email, 'created_at', iso(u.created_at), 'name', m.name))
    from users u join members m on m.user_id = u.id
    where u.id = sign_in_result.user_id and m.paywall_id = sign_in_result.paywall_id);
end $$;

create function iso(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Whether what a user has stands in the way of buying a price: any subscription that gives access, or, where the price is paid
-- once, a purchase of that very price that does. An edited price has another id and the same slug: it counts as the same.
create function has_active_purchase(user_id uuid, price prices) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from purchases p join prices bought on bought.id = p.price_id
    where p.paywall_id = price.paywall_id and p.user_id = has_active_purchase.user_id and gives_access(p)
      and (p.interval is not null or price.interval is null and bought.slug = price.slug));
end $$;
