import type { TestWorld } from './world.ts'

/**
 * Makes a race certain: the next `count` statements that contain this text wait for each other and then run in the same
 * moment, each on a connection that is open already: one takes longer to open than a statement takes, and what runs on
 * new ones runs one after the other. Not as many as the Neon proxy has connections for a role: of 40, the first waits so
 * long for the last that its call times out on a slow machine.
 */
export function raceStatements(world: TestWorld, text: string, count: number): void {
  const arrived = gate(count)
  world.neon.onStatement = async ({ query }, run) => {
    if (query.includes(text)) await arrived()
    return run()
  }
}

/** Opens for all when the `count`-th has come, and stays open. */
function gate(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return () => {
    arrived += 1
    if (arrived === count) resolve()
    return promise
  }
}
