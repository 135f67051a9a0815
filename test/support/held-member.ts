import { withClient } from '../../cli/database.ts'
import type { Reply } from './call.ts'
import { until } from './until.ts'
import type { TestWorld } from './world.ts'

/**
 * Runs calls that all want a member's row, in this order: the row is held until each waits in line behind the
 * one before it. What a call saw before it waited is then out of date when its turn comes. The first of them is certain
 * to be first; those behind it may overtake one another once it has changed the row.
 */
export function runInLockOrder(world: TestWorld, userId: string, calls: (() => Promise<Reply>)[]): Promise<Reply[]> {
  return whileHeld(world, { hold: 'select from members where user_id = $1 for update', values: [userId] }, calls)
}

/** A row that the test locks by `hold`, with `values`, and what happens before it is let go. */
interface HeldRow {
  hold: string
  values: unknown[]
  /** SQL with the same values, by whoever holds the row; or anything else. */
  change?: string | (() => Promise<unknown>)
}

/** Runs calls in this order while a row is held: each is begun once the one before it waits for a lock. */
export async function whileHeld<Answer = Reply>(
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
