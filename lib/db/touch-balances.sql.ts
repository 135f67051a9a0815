import { type RawBuilder, sql } from 'kysely'

type Fragment = RawBuilder<unknown>

/** What is added to one balance, or taken away below 0: an integer of 10^12 at most. */
export interface Operation {
  type: string
  delta: number
}

/** Days, as top-ups count them, are UTC days by the database's clock. */
const today = sql`(now() at time zone 'utc')::date`

/** The CTE `plan`, to follow `gate`: the types of tokens that the paywall counts. */
export const plan = sql`
  plan as (
    select q ->> 'type' as type, (q ->> 'daily_limit')::bigint as daily_limit
    from granted g, jsonb_array_elements(coalesce(g.settings -> 'tokenization_queries', '[]')) q
  )`

/**
 * The CTEs of whatever touches a member's balances: on the first touch of a UTC day they top up those of a member who
 * has not paid, and then do the operation, if that leaves the balance between 0 and 2^53 - 1. They follow `plan`,
 * `standing (paid)` and `asked`, which is the member's row, or nothing where the call is to change nothing.
 *
 * `touched` is the balances that were written: the operation did `count - previous_count - top_up`, which is 0 if it did
 * not fit. An operation is written even then, because only a row that is locked tells truly what there is; but a debit
 * never makes the row. A touch that has nothing to do writes and locks nothing.
 */
export function touchBalances(operation?: Operation) {
  const operated = operation
    ? sql`plan.type = ${operation.type}::text and (b.type is not null or ${operation.delta}::bigint > 0)`
    : sql`false`
  return sql`
    due as (
      select plan.type, case when of_today then plan.daily_limit end as top_up_to
      from asked a cross join plan cross join standing
        left join balances b on (b.paywall_id, b.user_id, b.type) = (a.paywall_id, a.user_id, plan.type),
        lateral (select not standing.paid and b.topped_up_on is distinct from ${today}
          and plan.daily_limit is not null as of_today) t
      where of_today or ${operated}
    ), acting as (
      select m.* from members m join asked using (paywall_id, user_id)
      where exists (select from due) and m.merged_into is null
      for no key update of m
    ), touched as (
      insert into balances as b (paywall_id, user_id, type, count, previous_count, top_up, topped_up_on)
      select a.paywall_id, a.user_id, due.type, ${operate(sql`coalesce(due.top_up_to, 0)`, sql`due.type`, operation)},
        0, coalesce(due.top_up_to, 0), case when due.top_up_to is not null then ${today} end
      from acting a, due order by due.type
      on conflict (paywall_id, user_id, type) do update set (count, previous_count, top_up, topped_up_on) = (
        select ${operate(sql`base`, sql`b.type`, operation)}, b.count, base - b.count,
          greatest(b.topped_up_on, excluded.topped_up_on)
        from (select case
          when excluded.topped_up_on > coalesce(b.topped_up_on, '-infinity') then greatest(b.count, excluded.top_up)
          else b.count end as base) topped_up
      )
      returning *
    )`
}

/** The count after the operation, or the same count where it is not about this type or does not fit. */
function operate(base: Fragment, type: Fragment, operation?: Operation) {
  if (!operation) return base
  const fits = sql`${base} + ${operation.delta}::bigint between 0 and ${Number.MAX_SAFE_INTEGER}::bigint`
  return sql`case when ${type} = ${operation.type}::text and ${fits} then ${base} + ${operation.delta}::bigint else ${base} end`
}

/**
 * The CTE `entered`: the ledger rows of the balances that the CTE `changed` wrote. A top-up and what came after it are
 * two rows. `reason` and `reference` are SQL, and are those of the latter.
 */
export function ledgerRows(changed: 'touched' | 'credited', reason: Fragment, reference = sql`null`) {
  return sql`
    entered as (
      insert into ledger (paywall_id, user_id, type, delta, count_after, reason, reference)
      select c.paywall_id, c.user_id, c.type, delta, count_after, part.reason, part.reference
      from ${sql.table(changed)} c, lateral (values
        (1, c.top_up, c.previous_count + c.top_up, 'top_up', null),
        (2, c.count - c.previous_count - c.top_up, c.count, ${reason}, ${reference})
      ) part (step, delta, count_after, reason, reference)
      where delta <> 0
      order by c.type, step
      returning *
    )`
}

/** The CTE `held`, to follow `touchBalances`: the member's balances as they now are. */
export const held = sql`
  held as (
    select type, count from touched
    union all
    select b.type, b.count from balances b join member m using (paywall_id, user_id)
    where not exists (select from touched t where t.type = b.type)
  )`

/** A member's balances as JSON, those that the paywall counts and the member never had with 0. */
export const heldBalances = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('type', type, 'count', coalesce(count, 0)) order by type), '[]')
  from plan full join held using (type)
)`
