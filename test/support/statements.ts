import type { TestWorld } from './world.ts'

/**
 * Matches only the statements of a sweep that delivers events, and of a delayed queue message that repeats the read for a pending event.
 * They may run at any time, even because of the previous test file, which used the same Workers.
 */
const BACKGROUND_STATEMENTS = /deliver|take_pending_read/

/** Whether a statement belongs to a call that the test makes. */
export const isCallStatement = ({ query }: { query: string }) => !BACKGROUND_STATEMENTS.test(query)

/** Counts the statements that the database gets because of `work`. */
export async function countStatements(world: TestWorld, work: () => Promise<unknown>): Promise<number> {
  let count = 0
  world.neon.onStatement = (statement, run) => {
    if (isCallStatement(statement)) count += 1
    return run()
  }
  await work()
  world.neon.onStatement = undefined
  return count
}
