import { DroppedCall } from '../../dev/emulators/stripe/api.ts'
import { AnswerLost } from '../../dev/neon-endpoint.ts'
import type { TestWorld } from './world.ts'

/** A wait of a Worker: on a statement that contains this text, or on a call to Stripe whose path ends with this one. */
export type Await = { statement: string } | { call: string }

/** Where an interruption falls: before the other side acts, or after that and before its answer arrives. */
export type Side = 'before' | 'after'

/**
 * Interrupts the next such wait, once: `interruption` runs on the given side of it, and no answer ever arrives. Resolves
 * when that is over.
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
      throw new AnswerLost()
    }
  } else {
    world.stripe.onCall = async ({ path }, run) => {
      if (!path.endsWith(wait.call)) return run()
      await interrupt(run)
      throw new DroppedCall()
    }
  }
  return promise
}
