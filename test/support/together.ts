import type { TestWorld } from './world.ts'

/**
 * Makes a race certain: the next `count` statements that contain this text wait for each other and then run in the same
 * moment, each on a connection that is open already. At most as many as the Neon proxy has connections.
 */
export async function runTogether(world: TestWorld, text: string, count: number): Promise<void> {
  await openConnections(world, count)
  const arrived = gate(count)
  world.neon.onStatement = async ({ query }, run) => {
    if (query.includes(text)) await arrived()
    return run()
  }
}

/** A connection takes longer to open than a statement takes: what runs on new ones runs one after the other. */
async function openConnections(world: TestWorld, count: number): Promise<void> {
  const arrived = gate(count)
  world.neon.onStatement = async (_, run) => {
    await arrived()
    return run()
  }
  await Promise.all(
    Array.from({ length: count }, async () => {
      const reply = await world.fetch('/api/v1/paywall/0/user?email=nobody@example.com', {
        headers: { 'x-api-key': world.key },
      })
      await reply.body?.cancel()
    }),
  )
  world.neon.onStatement = undefined
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
