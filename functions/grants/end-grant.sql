-- Takes a grant back at once. One that has ended stays as it is, and the verdict is the same, so that a call may be repeated. Shared by the
-- endpoint and `paywall grants end`. Locks the member and then the grant.
create function end_grant(owner_id uuid, paywall_id text, grant_id text, ended_by text, end_reason text) returns jsonb
language plpgsql as $$
declare
  present constant timestamptz := paywall_now(paywall_id);
  found_grant grants;
  queued integer := 0;
begin
  found_grant := lock_granted_member(owner_id, paywall_id, as_uuid(grant_id));
  if found_grant.id is null then return verdict('unknown_grant'); end if;

  if grants_access(found_grant, present) then
    queued := record_grant_end(found_grant, present, ended_by, end_reason);
    select * into found_grant from grants g where (g.owner_id, g.id) = (found_grant.owner_id, found_grant.id);
  end if;
  return verdict('ended') || logged(found_grant.user_id) || jsonb_build_object(
    'queued', queued, 'reply', jsonb_build_object('user_id', found_grant.user_id, 'grant', grant_json(found_grant)));
end $$;

-- Locks the member of a grant and then the grant, which is returned; all null if the paywall has no such grant. If the member was merged
-- while this call waited, locks the member it was merged into, which then has the grant.
create function lock_granted_member(owner_id uuid, paywall_id text, grant_id uuid) returns grants language plpgsql as $$
declare
  found_grant grants;
  locked_id uuid;
begin
  loop
    select * into found_grant from grants g
    where (g.owner_id, g.id, g.paywall_id)
      = (lock_granted_member.owner_id, lock_granted_member.grant_id, lock_granted_member.paywall_id);
    if not found or found_grant.user_id = locked_id then exit; end if;
    select m.user_id into locked_id from members m
    where m.paywall_id = found_grant.paywall_id and m.user_id = found_grant.user_id for no key update;
  end loop;
  perform from grants g where (g.owner_id, g.id) = (found_grant.owner_id, found_grant.id) for no key update;
  return found_grant;
end $$;
