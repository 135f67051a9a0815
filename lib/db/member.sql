-- A member is a user on a paywall. An owner names one by e-mail address, by user id, or both; then the id names the user
-- and the address must be that user's. A user's own token names the user. (Contract section 5, rules 1, 2 and 4.)

-- Text as a uuid; null if it is none.
create function as_uuid(text text) returns uuid language sql immutable as $$
  select case when text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then text::uuid end
$$;

-- The user that an owner names. The id of an anonymous user who signed in as a known one goes on naming that user: an
-- owner may have kept it.
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

-- The member that a call is about, without a lock: `unknown_identity` if there is no such user, `not_member` if the user
-- never came to this paywall.
create function find_member(
  paywall_id text, token_user_id uuid, email text, user_id text, out refusal text, out id uuid
) language plpgsql stable as $$
begin
  id := coalesce(token_user_id, find_named_user(paywall_id, email, user_id));
  refusal := case
    when id is null then 'unknown_identity'
    when not exists (
      select from members m
      where m.paywall_id = find_member.paywall_id and m.user_id = find_member.id and m.merged_into is null
    ) then 'not_member' end;
end $$;

-- The same with the member's row locked until the end of the transaction: changes of one member queue, and what is read
-- afterwards is what the one before wrote. If the member was merged into another one while we waited, an owner's call goes
-- on with that one, and a user's own call gets `unknown_user`: its token ended with the merge.
create function lock_member(
  paywall_id text, token_user_id uuid, email text, user_id text, out refusal text, out id uuid
) language plpgsql as $$
declare
  merged_into uuid;
begin
  loop
    select * into refusal, id from find_member(paywall_id, token_user_id, email, user_id);
    if refusal is not null then return; end if;
    select m.merged_into into merged_into from members m
    where m.paywall_id = lock_member.paywall_id and m.user_id = id for no key update;
    continue when not found; -- it was deleted while we waited
    if merged_into is null then return; end if;
    if token_user_id is not null then
      refusal := 'unknown_user';
      return;
    end if;
  end loop;
end $$;

-- What a merge makes of a member's `meta`; null if that would be larger than 64 KB. A merge that makes `meta`
-- smaller is accepted even above the limit.
create function merge_meta(meta jsonb, added jsonb) returns jsonb language plpgsql immutable as $$
declare
  largest constant integer := 64 * 1024; -- bytes of its JSON, all merges together
  merged constant jsonb := meta || added;
begin
  if octet_length(merged::text) > greatest(largest, octet_length(meta::text)) then return null; end if;
  return merged;
end $$;
