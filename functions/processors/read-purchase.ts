import type { Adapter } from '../../lib/processors/adapter.ts'
import type { FetchedPurchase, PurchaseReference } from '../../lib/processors/processor.ts'

/**
 * How often a purchase is acted upon in one call at most. More is to do only where many callers have made subscriptions of
 * the same purchase at once; the next look goes on with it.
 */
const MOST_ACTS = 5

/**
 * The purchase as it is now: observes it, decides, does what is still to be done at the processor and observes it again. Stops
 * when an act has not brought what was asked for, as where the processor refuses: then the next look tries again.
 *
 * @throws ProcessorError
 */
export async function readPurchase(
  adapter: Adapter,
  paywallId: string,
  reference: PurchaseReference,
  now: () => Date,
): Promise<FetchedPurchase> {
  let done: unknown = null
  for (let acts = 0; ; acts++) {
    const observed = await adapter.observe(reference)
    if (observed === null) return { purchase: null, isUndecided: false }
    const { found, isUndecided, todo, payments, versions } = adapter.decide(observed, now())
    // Paywalls may share an account: only the one that sold a purchase acts upon it.
    if (found && found.paywallId !== null && found.paywallId !== paywallId) {
      return { purchase: null, isUndecided, ...(versions && { versions }) }
    }
    if (todo === null || acts === MOST_ACTS || isSame(todo, done)) {
      return {
        purchase: found?.purchase ?? null,
        isUndecided,
        ...(payments && { payments }),
        ...(versions && { versions }),
      }
    }
    await adapter.act(todo)
    done = todo
  }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
