import { sql } from 'kysely'
import { CommandError, type CommandResult, required } from './command.ts'
import { type Database, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'

/** `paywall ledger verify`: throws a `CommandError` that names every balance that does not match its ledger. */
export async function verifyLedger(): Promise<CommandResult> {
  enterLocalWorld()
  const { balances, rows, wrong } = await withDatabase(required('DATABASE_URL'), recomputeBalances)
  const json = { balances: Number(balances), ledger_rows: Number(rows), wrong }
  if (wrong.length > 0) throw new CommandError(wrong.flatMap(toSentences), { done: { text: '', json } })
  return { text: `OK: ${balances} balances match the sums of their ${rows} ledger rows.`, json }
}

interface Verification {
  /** The number of rows of the table. */
  balances: string
  rows: string
  wrong: WrongBalance[]
}

/** A balance that does not match its ledger. Counts are decimal strings, so that they stay exact. */
interface WrongBalance {
  paywall_id: string
  user_id: string
  type: string
  count: string
  /** The sum of the deltas of all its ledger rows. */
  sum: string
  /** The first row whose `count_after` is not its delta added to the `count_after` of the row before. */
  broken: { id: string; count_after: string; expected: string } | null
}

/** Recomputes every balance from the ledger, in one statement so that both are of the same snapshot. */
async function recomputeBalances(db: Database): Promise<Verification> {
  const { rows } = await sql<Verification>`
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

function toSentences({ paywall_id, user_id, type, count, sum, broken }: WrongBalance): string[] {
  const balance = `balance ${type} of user ${user_id} on paywall ${paywall_id}`
  const problems = []
  if (count !== sum) problems.push(`${balance} is ${count}, but its ledger adds up to ${sum}`)
  if (broken) {
    const { id, count_after: after, expected } = broken
    problems.push(`${balance}: ledger row ${id} records a count of ${after} instead of ${expected}`)
  }
  return problems
}
