import { sql } from 'kysely'
import type { Executor } from '../executor.ts'

/** A balance that its ledger does not explain. Counts are decimal texts, as exact as Postgres has them. */
export interface WrongBalance {
  paywall_id: string
  user_id: string
  type: string
  count: string
  /** What all its rows come to. */
  sum: string
  /** The first row whose `count_after` is not the one before it and its own delta. */
  broken: { id: string; count_after: string; expected: string } | null
}

export interface Verified {
  balances: string
  rows: string
  wrong: WrongBalance[]
}

/** Recomputes every balance from the ledger, as both are at one instant. */
export async function verifyLedger(db: Executor): Promise<Verified> {
  const { rows } = await sql<Verified>`
    with steps as (
      select *, delta + coalesce(lag(count_after) over (partition by paywall_id, user_id, type order by id), 0) as expected
      from ledger
    ), sums as (
      select paywall_id, user_id, type, sum(delta) as sum, min(id) filter (where count_after <> expected) as broken_id
      from steps group by paywall_id, user_id, type
    ), wrong as (
      select b.paywall_id, b.user_id, b.type, b.count::text, coalesce(s.sum, 0)::text as sum, (
        select jsonb_build_object(
          'id', id::text, 'count_after', count_after::text, 'expected', expected::text) from steps where id = s.broken_id
      ) as broken
      from balances b left join sums s using (paywall_id, user_id, type)
      where b.count <> coalesce(s.sum, 0) or s.broken_id is not null
    )
    select
      (select count(*)::text from balances) as balances,
      (select count(*)::text from ledger) as rows,
      (select coalesce(jsonb_agg(to_jsonb(wrong) order by paywall_id, user_id, type), '[]') from wrong) as wrong`.execute(
    db,
  )
  return rows[0]!
}
