import type { TestWorld } from './world.ts'

/**
 * Forces a race: the next `count` statements that contain `text` wait for each other and then run at the same moment, each on a connection
 * that is already open. Opening a connection takes longer than a statement, so statements on new connections would run one after the other.
 *
 * Keep `count` below the number of connections that the Neon proxy has for a role. With 40, the first statement waits so long for the last
 * that its call times out on a slow machine.
 */
export function raceStatements(world: TestWorld, text: string, count: number): void {
  const arrived = gate(count)
  world.neon.onStatement = async ({ query }, run) => {
    if (query.includes(text)) await arrived()
    return run()
  }
}

/** Returns a function that holds its callers until the `count`-th one arrives, and then lets all of them pass, later ones too. */
function gate(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return () => {
    arrived += 1
    if (arrived === count) resolve()
    return promise
  }
}
