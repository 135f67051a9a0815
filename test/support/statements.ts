import type { TestWorld } from './world.ts'

/** What the sweep of deliveries says, and no other statement. It comes when it will, also for the test before this one. */
const SWEEP = 'deliver'

/** How many statements the database got because of this. */
export async function statementsOf(world: TestWorld, work: () => Promise<unknown>): Promise<number> {
  let count = 0
  world.neon.onStatement = ({ query }, run) => {
    if (!query.includes(SWEEP)) count += 1
    return run()
  }
  await work()
  world.neon.onStatement = undefined
  return count
}
