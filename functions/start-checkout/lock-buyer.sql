-- Finds the buyer: the token's user, or the one whom the owner names, with the member's row locked. User and member are created if new. A
-- new member is never refused, since it has no purchase and no meta yet, so a refused call leaves neither a user nor a member behind.
-- Refusals: `active_purchase`, `invalid_offer` (the user can use `offer` no more), `full_meta` (the user's meta would be too large),
-- `unknown_user` (it was merged meanwhile), and those of name_user. `blocking` is the active purchase. `merged_meta` is the new value of
-- the part of the meta that the caller may write: see keep_user_meta.
create function lock_buyer(
  paywall_id text, token_user_id uuid, email text, external_id text, user_meta jsonb, price prices,
  ignore_active_purchase boolean, offer offers, out refusal text, out user_id uuid, out merged_meta jsonb, out blocking purchases
) language plpgsql as $$
declare
  named record;
  lacks_name boolean := false;
  member members;
begin
  loop
    user_id := token_user_id;
    if token_user_id is null then
      named := name_user(paywall_id, email, external_id);
      refusal := named.refusal;
      if refusal is not null then return; end if;
      user_id := named.id;
      lacks_name := named.lacks_name;
    end if;
    if ensure_member(paywall_id, user_id) then
      select * into member from members m
      where m.paywall_id = lock_buyer.paywall_id and m.user_id = lock_buyer.user_id for no key update;
      exit when member.merged_into is null;
    end if;
    if token_user_id is not null then
      refusal := 'unknown_user';
      return;
    end if;
  end loop;

  merged_meta := merge_meta(case when token_user_id is null then member.meta else member.buyer_meta end, user_meta);
  if not ignore_active_purchase then blocking := blocking_purchase(paywall_id, user_id, price); end if;
  refusal := case
    when merged_meta is null then 'full_meta'
    when blocking.id is not null then 'active_purchase'
    when has_used_offer(offer, lock_buyer.user_id, null) then 'invalid_offer' end;
  if refusal is null and lacks_name then refusal := give_names(user_id, email, external_id); end if;
end $$;

-- Stores the merged part of a member's meta: the owner's, or the user's own. The member's row must be locked.
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
