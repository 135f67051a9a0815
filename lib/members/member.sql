-- A member is a user on a paywall. An owner identifies a user of its own by e-mail address, by user id, by external id, or by several of
-- them, which must then all be that user's. A user's own token identifies the user. (Contract section 5, rules 1, 2 and 4.) Test users and
-- live ones are separate: an identifier is looked up among those of the paywall's owner and mode.

-- Parses a uuid; null if the text is none.
create function as_uuid(text text) returns uuid language sql immutable as $$
  select case when text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then text::uuid end
$$;

-- Whether a user is anonymous: it has no names, and has not been erased.
create function is_anonymous(u users) returns boolean language sql immutable as $$
  select u.email is null and u.external_id is null and u.erased_at is null
$$;

-- Whether a user was merged into another one, who now has everything it had.
create function is_merged(user_id uuid) returns boolean language plpgsql stable as $$
begin
  return exists (select from members m where m.user_id = is_merged.user_id and m.merged_into is not null);
end $$;

-- The user that has what a user had: the one that it was merged into, or itself. Merging that one again updates `merged_into`, so one step is
-- enough.
create function remaining_user(user_id uuid) returns uuid language plpgsql stable as $$
begin
  return coalesce(
    (select m.merged_into from members m where m.user_id = remaining_user.user_id and m.merged_into is not null limit 1), user_id);
end $$;

-- The owner and the mode of the users that may be members of a paywall.
create function paywall_scope(paywall_id text, out owner_id uuid, out is_test boolean) language plpgsql stable as $$
begin
  select p.owner_id, p.is_test into owner_id, is_test from paywalls p where p.id = paywall_id;
end $$;

-- Finds the user that a paywall's owner identifies; null if there is none. The id of a merged user still identifies the user it was merged
-- into: an owner may have stored it.
create function find_named_user(paywall_id text, email text, user_id text, external_id text) returns uuid
language plpgsql stable as $$
declare
  here constant record := paywall_scope(paywall_id);
  named users;
  named_id uuid := as_uuid(user_id);
begin
  if user_id is not null then
    named_id := remaining_user(named_id);
    select * into named from users u where (u.owner_id, u.is_test, u.id) = (here.owner_id, here.is_test, named_id);
  elsif external_id is not null then
    select * into named from users u
    where (u.owner_id, u.is_test, u.external_id) = (here.owner_id, here.is_test, find_named_user.external_id);
  else
    select * into named from users u
    where (u.owner_id, u.is_test, u.email) = (here.owner_id, here.is_test, find_named_user.email);
  end if;
  if (email is null or named.email = email) and (external_id is null or named.external_id = external_id) then
    return named.id;
  end if;
  return null;
end $$;

-- Finds the member that a call is about, without a lock: `unknown_identity` if the owner has no such user, `not_member` if the user is not
-- a member of this paywall.
create function find_member(
  paywall_id text, token_user_id uuid, email text, user_id text, external_id text, out refusal text, out id uuid
) language plpgsql stable as $$
begin
  id := coalesce(token_user_id, find_named_user(paywall_id, email, user_id, external_id));
  refusal := case
    when id is null then 'unknown_identity'
    when not exists (
      select from members m
      where m.paywall_id = find_member.paywall_id and m.user_id = find_member.id and m.merged_into is null
    ) then 'not_member' end;
end $$;

-- The same with the member's row locked until the end of the transaction: changes of one member are serialised, and later reads see what
-- the previous call wrote. If the member was merged while this call waited, an owner's call continues with the user it was merged into, and
-- a user's own call gets `unknown_user`: its token ended with the merge.
create function lock_member(
  paywall_id text, token_user_id uuid, email text, user_id text, external_id text, out refusal text, out id uuid
) language plpgsql as $$
declare
  merged_into uuid;
begin
  loop
    select * into refusal, id from find_member(paywall_id, token_user_id, email, user_id, external_id);
    if refusal is not null then return; end if;
    select m.merged_into into merged_into from members m
    where m.paywall_id = lock_member.paywall_id and m.user_id = id for no key update;
    continue when not found; -- deleted while this call waited
    if merged_into is null then return; end if;
    if token_user_id is not null then
      refusal := 'unknown_user';
      return;
    end if;
  end loop;
end $$;

-- Makes a user a member of a paywall of its owner, if it is none. Returns false and creates nothing if the user was merged into another
-- one. Locks the user's row if it has to create the member: a merge locks it, too, so that it misses none of the user's members. Members
-- are locked after users.
create function ensure_member(paywall_id text, user_id uuid) returns boolean language plpgsql as $$
declare
  merged_into uuid;
begin
  select m.merged_into into merged_into from members m
  where m.paywall_id = ensure_member.paywall_id and m.user_id = ensure_member.user_id;
  if found then return merged_into is null; end if;
  perform from users u where u.id = user_id for share;
  if is_merged(user_id) then return false; end if;
  insert into members (paywall_id, user_id, owner_id, is_test)
  select paywall_id, user_id, here.owner_id, here.is_test from paywall_scope(paywall_id) here
  on conflict on constraint members_pkey do nothing;
  return true;
end $$;

-- Merges one part of a member's meta: `meta`, which owners write, or `buyer_meta`, which the user itself writes. Null if that part would
-- exceed 64 KB; a merge that makes it smaller is accepted even above the limit.
create function merge_meta(meta jsonb, added jsonb) returns jsonb language plpgsql immutable as $$
declare
  largest constant integer := 64 * 1024; -- bytes of JSON in total. A user can only fill its own part
  merged constant jsonb := meta || added;
begin
  if octet_length(merged::text) > greatest(largest, octet_length(meta::text)) then return null; end if;
  return merged;
end $$;
