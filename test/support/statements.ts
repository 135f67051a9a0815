import type { TestWorld } from './world.ts'

/**
 * Text of statements by which a sweep delivers events, or a delayed queue message reads what an event waits for, and of no other. They may
 * come at any moment, also because of the test file before, which had the same Workers.
 */
const BY_ITSELF = /deliver|take_pending_read/

/** Whether a statement is of a call that is made now. */
export const isCallStatement = ({ query }: { query: string }) => !BY_ITSELF.test(query)

/** How many statements the database got because of this. */
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
