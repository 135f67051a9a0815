import { sql } from 'kysely'
import { held, heldBalances, ledgerRows, plan, touchBalances } from './touch-balances.sql.ts'

/**
 * The CTEs that follow `member` and make what `memberStateColumns` selects. On the first touch of a UTC day they also
 * top up the balances of a member who has not paid; on every other read they write nothing.
 */
export const memberState = sql`
  standing as (
    select
      coalesce(bool_or(is_paid(p)), false) as paid,
      coalesce(bool_or(is_paid(p)) filter (where p.interval is not null), false) as subscribed,
      coalesce(jsonb_agg(purchase_json(p) order by p.created_at desc, p.id), '[]') as purchases
    from purchases p join member m using (paywall_id, user_id)
  ), ${plan}, asked as (select * from member), ${touchBalances()}, ${ledgerRows('touched', sql`null`)}, ${held}`

export const memberStateColumns = sql`
  (select paid from standing) as paid,
  (select purchases from standing) as purchases,
  ${heldBalances} as balances,
  (select jsonb_build_object(
     'purchase_id', p.id, 'started_at', iso(coalesce(p.trial_start, p.created_at)), 'ends_at', iso(p.trial_end),
     'days_left', ceil(extract(epoch from p.trial_end - now()) / 86400)::int)
   from purchases p join member m using (paywall_id, user_id)
   where p.status = 'trialing' and p.trial_end > now()
   order by p.trial_end desc limit 1) as trial`
