-- Who buys: the user of the token, or of the address that the owner names, with the member's row locked. User and member are
-- made if they are new. A member that is new is never refused, since it has no purchase and no meta yet, so a refused call
-- leaves neither a user nor a member behind. Refusals: `active_purchase`, `full_meta` (the user's meta would be too large)
-- and `unknown_user` (an anonymous user who is merged by now). `merged_meta` is what becomes of that part of the meta which
-- the caller may write: see keep_user_meta.
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

  merged_meta := merge_meta(case when token_user_id is null then member.meta else member.buyer_meta end, user_meta);
  refusal := case
    when merged_meta is null then 'full_meta'
    when not ignore_active_purchase and has_active_purchase(user_id, price) then 'active_purchase' end;
end $$;

-- Keeps what a call has merged into a member's meta: the owner's part, or the one that the user itself writes. The member's
-- row must be locked.
create function keep_user_meta(paywall_id text, user_id uuid, by_owner boolean, merged jsonb) returns void
language plpgsql as $$
begin
  if by_owner then
    update members m set meta = merged
    where (m.paywall_id, m.user_id) = (keep_user_meta.paywall_id, keep_user_meta.user_id) and m.meta <> merged;
  else
    update members m set buyer_meta = merged
    where (m.paywall_id, m.user_id) = (keep_user_meta.paywall_id, keep_user_meta.user_id) and m.buyer_meta <> merged;
  end if;
end $$;

-- Whether what a user has stands in the way of buying a price: any subscription that gives access, or, where the price is paid
-- once, a purchase of that very price that does. An edited price has another id and the same slug: it counts as the same.
create function has_active_purchase(user_id uuid, price prices) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from purchases p join prices bought on bought.id = p.price_id
    where p.paywall_id = price.paywall_id and p.user_id = has_active_purchase.user_id and gives_access(p)
      and (p.interval is not null or price.interval is null and bought.slug = price.slug));
end $$;
