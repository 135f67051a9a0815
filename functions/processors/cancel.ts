import type { SealedAccount } from '../../lib/processors/account.ts'
import type { Adapter } from '../../lib/processors/adapter.ts'
import { isBehind, type ObjectVersions } from '../../lib/processors/object-versions.ts'
import { type Cancellation, ProcessorError, UnexpectedReply } from '../../lib/processors/processor.ts'
import { withTimeout } from '../../lib/processors/with-timeout.ts'
import { readPurchase } from './read-purchase.ts'

/** How long a cancellation may take to become visible, in milliseconds. Some processors read from replicas. */
const CONFIRMED_WITHIN_MS = 3_000
const FIRST_PAUSE_MS = 150

interface CancellationRequest {
  subscriptionId: string
  reason: string
  /** The newest known versions of its objects. */
  known: ObjectVersions
  now: () => Date
}

/**
 * Cancels a subscription and returns its state afterwards: from the processor's reply, or from a read that shows the cancellation. A reply
 * that does not show it proves nothing, whatever its status: a buyer whose cancellation we confirm wrongly is charged again.
 *
 * @throws ProcessorError unavailable, if nothing shows it in time
 */
export async function cancelAndConfirm(
  adapter: Adapter,
  { acquiring, paywallId }: SealedAccount,
  { subscriptionId, reason, known, now }: CancellationRequest,
): Promise<Cancellation> {
  // A stale read may show a cancellation that was undone since. A reply may come from a read, too.
  const confirms = (found: Cancellation) => isCancelled(found) && !isBehind(found.versions ?? {}, known, true)
  const reply = await unlessUnexpected(adapter.cancelAtPeriodEnd(subscriptionId, reason))
  if (reply && confirms(reply)) return reply
  const deadline = Date.now() + CONFIRMED_WITHIN_MS
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const reference = { kind: 'subscription', id: subscriptionId } as const
    const reading = readPurchase(adapter, paywallId, reference, now)
    const { purchase } = await withTimeout(acquiring, reading, deadline - Date.now()).catch(asUnconfirmed)
    if (purchase && confirms(purchase)) return purchase
    if (Date.now() + pause > deadline) break
    await scheduler.wait(pause)
  }
  throw new ProcessorError(acquiring, 'unavailable', 'cancellation not visible', { answered: false })
}

/** The processor may have cancelled by now: a refused read is no refusal of the cancellation. */
function asUnconfirmed(error: unknown): never {
  if (!(error instanceof ProcessorError)) throw error
  const { acquiring, retryAfter } = error
  throw new ProcessorError(acquiring, 'unavailable', 'cancellation cannot be confirmed', {
    answered: false,
    retryAfter,
    cause: error,
  })
}

const isCancelled = ({ status, cancelAtPeriodEnd }: Cancellation) => cancelAtPeriodEnd || status === 'canceled'

/** Null for an unreadable reply: the call may have taken effect. */
async function unlessUnexpected<Value>(call: Promise<Value>): Promise<Value | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof UnexpectedReply) return null
    throw error
  }
}
