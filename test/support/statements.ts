import type { TestWorld } from './world.ts'

/** Text of the sweep's statements, and of no other. A sweep may run at any moment, also because of the test before. */
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
