-- The names that an owner gives a user of its own: an e-mail address, an external id, or both.

-- Finds or creates the user that a paywall's owner names. `lacks_name`: the user has no external id or no address yet, and give_names must
-- add the given one; then the user's row is locked. Refusals: `unknown_identity` if the two names belong to two users, or the user of the
-- external id has another address; `other_external_id` if the user of the address has another external id, which never changes implicitly.
create function name_user(
  paywall_id text, email text, external_id text, out refusal text, out id uuid, out lacks_name boolean
) language plpgsql as $$
declare
  here constant record := paywall_scope(paywall_id);
  by_email users;
  by_external_id users;
begin
  loop
    select * into by_email from users u
    where (u.owner_id, u.is_test, u.email) = (here.owner_id, here.is_test, name_user.email);
    select * into by_external_id from users u
    where (u.owner_id, u.is_test, u.external_id) = (here.owner_id, here.is_test, name_user.external_id);
    id := coalesce(by_external_id.id, by_email.id);
    refusal := case
      when by_email.id <> by_external_id.id or by_external_id.email <> email then 'unknown_identity'
      when by_external_id.id is null and by_email.external_id <> external_id then 'other_external_id' end;
    lacks_name := id is not null and refusal is null
      and (by_email.id is null and email is not null or by_external_id.id is null and external_id is not null);
    if lacks_name then perform from users u where u.id = name_user.id for no key update; end if;
    if id is not null then return; end if;

    insert into users as u (owner_id, is_test, email, external_id)
    values (here.owner_id, here.is_test, email, external_id)
    on conflict do nothing returning u.id into id;
    if id is not null then return; end if;
  end loop;
end $$;

-- Adds the names that a user lacks. Null, or the refusal if another call has meanwhile given the user other names, or these names to
-- another user. The user's row must be locked.
create function give_names(user_id uuid, email text, external_id text) returns text language plpgsql as $$
declare
  named users;
begin
  update users u
  set email = coalesce(u.email, give_names.email), external_id = coalesce(u.external_id, give_names.external_id)
  where u.id = user_id returning u.* into named;
  return case
    when named.email <> email then 'unknown_identity'
    when named.external_id <> external_id then 'other_external_id' end;
exception when unique_violation then
  return 'unknown_identity';
end $$;
