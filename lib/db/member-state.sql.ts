import { sql } from 'kysely'

/** What a member has, as user and bootstrap report it (contract section 2). */
export interface MemberState {
  purchases: { id: string; status: string }[]
  paid: boolean
  balances: { type: string; count: number }[]
  trial: { purchase_id: string; started_at: string; ends_at: string; days_left: number } | null
}

/** Days, as top-ups count them, are UTC days by the database's clock. */
const today = sql`(now() at time zone 'utc')::date`

/**
 * The CTEs that follow `member` and make what `memberStateColumns` selects. On the first touch of a UTC day they also
 * top up the balances of a member who has not paid; on every other read they write nothing.
 */
export const memberState = sql`
  standing as (
    select
      coalesce(bool_or(is_paid(p)), false) as paid,
      coalesce(jsonb_agg(purchase_json(p) order by p.created_at desc, p.id), '[]') as purchases
    from purchases p join member m using (paywall_id, user_id)
  ), plan as (
    select q ->> 'type' as type, (q ->> 'daily_limit')::bigint as daily_limit
    from granted g, jsonb_array_elements(coalesce(g.settings -> 'tokenization_queries', '[]')) q
  ), topped_up as (
    insert into balances as b (paywall_id, user_id, type, count, previous_count, topped_up_on)
    select m.paywall_id, m.user_id, plan.type, plan.daily_limit, 0, ${today}
    from member m, plan, standing
    where plan.daily_limit is not null and not standing.paid and not exists (
      select from balances held
      where (held.paywall_id, held.user_id, held.type) = (m.paywall_id, m.user_id, plan.type)
        and held.topped_up_on = ${today}
    )
    order by plan.type
    on conflict (paywall_id, user_id, type) do update set
      count = case when b.topped_up_on = ${today} then b.count else greatest(b.count, excluded.count) end,
      previous_count = b.count,
      topped_up_on = ${today}
    returning *
  ), top_up_ledger as (
    insert into ledger (paywall_id, user_id, type, delta, count_after, reason)
    select paywall_id, user_id, type, count - previous_count, count, 'top_up' from topped_up where count <> previous_count
  ), held as (
    select type, count from topped_up
    union all
    select b.type, b.count from balances b join member m using (paywall_id, user_id)
    where not exists (select from topped_up t where t.type = b.type)
  )`

export const memberStateColumns = sql`
  (select paid from standing) as paid,
  (select purchases from standing) as purchases,
  (select coalesce(jsonb_agg(jsonb_build_object('type', type, 'count', coalesce(count, 0)) order by type), '[]')
   from plan full join held using (type)) as balances,
  (select jsonb_build_object(
     'purchase_id', p.id, 'started_at', iso(coalesce(p.trial_start, p.created_at)), 'ends_at', iso(p.trial_end),
     'days_left', ceil(extract(epoch from p.trial_end - now()) / 86400)::int)
   from purchases p join member m using (paywall_id, user_id)
   where p.status = 'trialing' and p.trial_end > now()
   order by p.trial_end desc limit 1) as trial`
