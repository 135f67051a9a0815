-- A user's state on a paywall (contract section 4.3), for its owner or for the user. Locks the member only if today's top-up is due.
create function read_user(
  paywall_id text, host text, key_hash text default null, token_user_id uuid default null,
  token_audience text default null, token_session_id uuid default null,
  email text default null, user_id text default null, external_id text default null
) returns jsonb language plpgsql security definer as $$
declare
  gate record;
  member record;
  profile jsonb;
  state jsonb;
begin
  gate := open_gate(key_hash, token_user_id, token_audience, token_session_id, paywall_id, host);
  if gate.refusal is not null then return verdict(gate.refusal); end if;

  member := find_topped_up_member(
    paywall_id, token_user_id, email, user_id, external_id, gate.settings);
  if member.refusal is not null then return verdict(member.refusal) || logged(member.id); end if;

  -- One query, so that both are of the same snapshot.
  select
    jsonb_build_object('meta', m.buyer_meta || m.meta, 'geo', p.geo, 'user', jsonb_build_object(
      'id', u.id, 'email', u.email, 'external_id', u.external_id, 'name', m.name, 'created_at', iso(u.created_at))),
    member_state(m.paywall_id, m.user_id, gate.settings)
  into profile, state
  from members m join users u on u.id = m.user_id join paywalls p on p.id = m.paywall_id
  where m.paywall_id = read_user.paywall_id and m.user_id = member.id;
  return verdict('found') || profile || state || logged(member.id);
end $$;
