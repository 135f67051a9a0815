-- Everything about a user of one mode: see user_details_json. Verdicts: `found`; `unknown_user_id`.
create function show_user(session_hash text, is_test boolean, user_id text) returns jsonb language plpgsql stable security definer as $$
declare
  gate constant record := open_console(session_hash, 'read_users');
  details jsonb;
begin
  if gate.refusal is not null then return verdict(gate.refusal); end if;
  details := user_details_json(gate.owner_id, is_test, as_uuid(user_id));
  if details is null then return verdict('unknown_user_id'); end if;
  return verdict('found') || viewer_json(gate.owner_id, gate.email, gate.role) || details;
end $$;

-- Everything about a user of one mode: on each paywall its purchases with their payments, its grants, its balances and its meta data, and
-- besides its tickets and its sessions; and a timeline of the latest `entries`. The id of a merged user shows the user that has everything
-- now. Null if the owner has no such user of that mode.
create function user_details_json(owner_id uuid, is_test boolean, user_id uuid) returns jsonb language plpgsql stable
set enable_seqscan = off -- a plan cached while the table was empty must not scan all of it later
as $$
declare
  entries constant integer := 100;
  shown users;
begin
  select * into shown from users u
  where u.owner_id = user_details_json.owner_id and u.is_test = user_details_json.is_test and u.id = remaining_user(user_details_json.user_id);
  if not found then return null; end if;

  return jsonb_build_object(
    'user', jsonb_build_object(
      'id', shown.id, 'email', shown.email, 'external_id', shown.external_id, 'created_at', iso(shown.created_at),
      'is_erased', shown.erased_at is not null, 'merged_ids', array(
        select distinct m.user_id from members m where m.merged_into = shown.id order by m.user_id)),
    'memberships', (
      select coalesce(jsonb_agg(membership_json(m) order by m.created_at, m.paywall_id), '[]')
      from members m where m.user_id = shown.id),
    'tickets', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', t.id, 'subject', t.subject, 'status', t.status, 'created_at', iso(t.created_at)) order by t.id desc), '[]')
      from tickets t where t.user_id = shown.id),
    'sessions', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', s.id, 'paywall_id', s.paywall_id, 'created_at', iso(s.created_at), 'key', k.name) order by s.created_at desc), '[]')
      from members m join sign_in_sessions s on (s.paywall_id, s.user_id) = (m.paywall_id, m.user_id)
      left join api_keys k on k.id = s.minted_by
      where m.user_id = shown.id and s.ended_at is null and s.expires_at > now()),
    'timeline', (
      select coalesce(jsonb_agg(t.entry order by t.at desc), '[]')
      from (
        select t.at, jsonb_build_object('at', iso(t.at), 'kind', t.kind, 'paywall_id', t.paywall_id) || t.detail as entry
        from user_timeline(shown.owner_id, shown.id, entries) t order by t.at desc limit entries) t));
end $$;

-- What a user has on one paywall.
create function membership_json(m members) returns jsonb language plpgsql stable as $$
declare
  present constant timestamptz := paywall_now(m.paywall_id);
begin
  return (
    select jsonb_build_object(
      'paywall', jsonb_build_object('id', w.id, 'name', w.name), 'name', m.name, 'meta', m.meta, 'buyer_meta', m.buyer_meta,
      'now', iso(present),
      'purchases', (
        select coalesce(jsonb_agg(console_purchase_json(p, present) order by p.created_at desc, p.id), '[]')
        from purchases p where (p.paywall_id, p.user_id) = (m.paywall_id, m.user_id)),
      'grants', (
        select coalesce(jsonb_agg(grant_json(g) || jsonb_build_object(
          'gives_access', grants_access(g, present), 'reason', g.reason, 'end_reason', g.end_reason) order by g.created_at desc, g.id), '[]')
        from grants g where (g.paywall_id, g.user_id) = (m.paywall_id, m.user_id)),
      'prices', array(
        select p.slug from prices p where p.paywall_id = m.paywall_id and p.retired_at is null and p.access order by p.slug),
      'token_types', array(select t.type from token_types(w.settings) t order by t.type),
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object('type', b.type, 'count', b.count) order by b.type), '[]')
        from balances b where (b.paywall_id, b.user_id) = (m.paywall_id, m.user_id)))
    from paywalls w where w.id = m.paywall_id);
end $$;

-- A purchase as the API shows it, with what explains its access, and the facts of its payments.
create function console_purchase_json(p purchases, present timestamptz) returns jsonb language plpgsql stable as $$
begin
  return purchase_json(p) || jsonb_build_object(
    'label', (select price.label from prices price where price.id = p.price_id),
    'processor_id', p.processor_id, 'gives_access', gives_access(p, present), 'is_pack', not p.access, 'has_begun', p.begun,
    'past_due_since', iso(p.past_due_since), 'access_lost_at', iso(p.access_lost_at), 'ended_by_owner_at', iso(p.ended_by_owner_at),
    'is_replaced', p.replaced_by is not null, 'cancellation_reason', p.cancellation_reason,
    'payments', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', f.payment_id, 'kind', f.kind, 'amount', f.amount, 'currency', f.currency, 'processor_payment', f.processor_payment,
        'receipt_url', f.receipt_url, 'occurred_at', iso(f.occurred_at)) order by f.occurred_at desc, f.id), '[]')
      from payments f where f.purchase_id = p.id));
end $$;

-- What has happened to a user, in each kind the latest `most`.
create function user_timeline(owner_id uuid, user_id uuid, most integer)
returns table (at timestamptz, kind text, paywall_id text, detail jsonb) language plpgsql stable as $$
begin
  return query
    select e.created_at, 'event', m.paywall_id, jsonb_build_object('id', e.id, 'type', e.type, 'deliveries', deliveries_json(e.id))
    from members m cross join lateral (
      select * from events e where (e.paywall_id, e.user_id) = (m.paywall_id, m.user_id) order by e.sequence desc limit most) e
    where m.user_id = user_timeline.user_id
    union all
    select l.at, 'balance', m.paywall_id, jsonb_build_object(
      'type', l.type, 'delta', l.delta, 'count_after', l.count_after, 'reason', l.reason)
    from members m cross join lateral (
      select * from ledger l where (l.paywall_id, l.user_id) = (m.paywall_id, m.user_id) order by l.id desc limit most) l
    where m.user_id = user_timeline.user_id
    union all
    select c.created_at, 'checkout', m.paywall_id, jsonb_build_object(
      'id', c.id, 'price_slug', price.slug, 'acquiring', c.acquiring, 'completed_at', iso(c.completed_at))
    from members m cross join lateral (
      select * from checkouts c where (c.paywall_id, c.user_id) = (m.paywall_id, m.user_id) order by c.created_at desc limit most) c
    join prices price on price.id = c.price_id
    where m.user_id = user_timeline.user_id
    union all
    select a.at, 'act', null, jsonb_build_object('act', a.act, 'email', a.email, 'subject', a.subject, 'reason', a.reason)
    from (
      select * from audit_log a where (a.owner_id, a.user_id) = (user_timeline.owner_id, user_timeline.user_id)
      order by a.id desc limit most) a;
end $$;
