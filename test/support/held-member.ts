import { withClient } from '../../cli/database.ts'
import type { Reply } from './call.ts'
import { until } from './until.ts'
import type { TestWorld } from './world.ts'

/**
 * Runs calls that all need a member's row, in this order: the row is locked until each call waits in the queue behind the
 * previous one. What a call read before it waited is therefore stale when it gets the lock. Only the first call is certain
 * to be first; the others may overtake one another once it has changed the row.
 */
export function runInLockOrder(world: TestWorld, userId: string, calls: (() => Promise<Reply>)[]): Promise<Reply[]> {
  return runWhileLocked(world, { hold: 'select from members where user_id = $1 for update', values: [userId] }, calls)
}

/** A row that the test locks with the SQL `hold` and its `values`, and what happens before the lock is released. */
interface HeldRow {
  hold: string
  values: unknown[]
  /** SQL with the same values, run by the lock's holder; or any function. */
  change?: string | (() => Promise<unknown>)
}

/** Runs calls in this order while a row is locked: each starts once the previous one waits for a lock. */
export async function runWhileLocked<Answer = Reply>(
  world: TestWorld,
  { hold, values, change }: HeldRow,
  calls: (() => Promise<Answer>)[],
): Promise<Answer[]> {
  return withClient(world.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query(hold, values)
    const answers: Promise<Answer>[] = []
    for (const ask of calls) {
      answers.push(ask())
      await until(`${answers.length} statements in line`, async () => (await waiting(world)) === answers.length)
    }
    if (typeof change === 'string') await client.query(change, values)
    else await change?.()
    await client.query('commit')
    return Promise.all(answers)
  })
}

async function waiting(world: TestWorld): Promise<number> {
  const { rows } = await world.database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}
