import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import type { TestWorld } from './world.ts'

/** What a Worker waits for: a statement that contains this text, or a call to Stripe whose path ends with this one, of any method by default. */
export type Await = { statement: string } | { call: string; method?: string }

/** When the interruption happens: before the other side acts, or after it has acted and before its response arrives. */
export type Side = 'before' | 'after'

/**
 * Interrupts the next such await, once: `interruption` runs on the given side of it, and no response ever arrives. Resolves
 * when the interruption is done.
 */
export function interruptOnce(
  world: TestWorld,
  wait: Await,
  side: Side,
  interruption: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  async function interrupt(run: () => Promise<unknown>): Promise<void> {
    world.neon.onStatement = undefined
    world.stripe.onCall = undefined
    if (side === 'after') await run()
    await interruption().then(resolve, reject)
  }
  if ('statement' in wait) {
    world.neon.onStatement = async ({ query }, run) => {
      if (!query.includes(wait.statement)) return run()
      await interrupt(run)
      throw new ResponseLost()
    }
  } else {
    world.stripe.onCall = async ({ method, path }, run) => {
      if (!path.endsWith(wait.call) || method !== (wait.method ?? method)) return run()
      await interrupt(run)
      throw new DroppedCall()
    }
  }
  return promise
}

/** A flow, and the await at which to interrupt it. */
export interface Flow<Outcome> {
  wait: Await
  side: Side
  start: () => Promise<Outcome>
}

/**
 * Interrupts many flows at the same moment, each at its own await: they are started one after the other, and those that
 * have reached theirs hang until all have. Resolves to the result of each flow.
 */
export async function interruptTogether<Outcome>(
  world: TestWorld,
  flows: Flow<Outcome>[],
  interruption: () => Promise<void>,
): Promise<PromiseSettledResult<Outcome>[]> {
  const over = Promise.withResolvers<void>()
  const outcomes: Promise<PromiseSettledResult<Outcome>[]>[] = []
  for (const { wait, side, start } of flows) {
    const there = Promise.withResolvers<void>()
    const interrupted = interruptOnce(world, wait, side, () => {
      there.resolve()
      return over.promise
    })
    outcomes.push(Promise.allSettled([start()]))
    await Promise.race([there.promise, interrupted])
  }
  await interruption()
  over.resolve()
  return (await Promise.all(outcomes)).flat()
}
