import type { SealedAccount } from '../../lib/processors/account.ts'
import type { Adapter } from '../../lib/processors/adapter.ts'
import { isBehind, type ObjectVersions } from '../../lib/processors/object-versions.ts'
import { type Cancellation, ProcessorError, UnexpectedReply } from '../../lib/processors/processor.ts'
import { readPurchase } from './read-purchase.ts'

/** How long a cancellation may take to show, in milliseconds. Some processors read from a copy that follows their writes. */
const CONFIRMED_WITHIN_MS = 3_000
const FIRST_PAUSE_MS = 150

interface CancellationRequest {
  subscriptionId: string
  reason: string
  /** The newest versions that are known of its objects. */
  known: ObjectVersions
  now: () => Date
}

/**
 * Cancels a subscription, and gives it as it is then: as the processor's own reply has it, or a read that shows the cancellation. A
 * reply that shows none proves nothing, whatever its status: a buyer to whom we confirm a cancellation that is none is charged again.
 *
 * @throws ProcessorError unavailable, if nothing shows it in time
 */
export async function cancelAndConfirm(
  adapter: Adapter,
  { acquiring, paywallId }: SealedAccount,
  { subscriptionId, reason, known, now }: CancellationRequest,
): Promise<Cancellation> {
  const reply = await unlessUnexpected(adapter.cancelAtPeriodEnd(subscriptionId, reason))
  if (reply && isCancelled(reply)) return reply
  const deadline = Date.now() + CONFIRMED_WITHIN_MS
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const reference = { kind: 'subscription', id: subscriptionId } as const
    const { purchase } = await readPurchase(adapter, paywallId, reference, now).catch(asUnconfirmed)
    // An older read may show a cancellation that was undone since.
    if (purchase && isCancelled(purchase) && !isBehind(purchase.versions ?? {}, known, true)) return purchase
    if (Date.now() + pause > deadline) break
    await scheduler.wait(pause)
  }
  throw new ProcessorError(acquiring, 'unavailable', 'a cancellation does not show', { answered: false })
}

/** By now the processor may have cancelled: that it refuses a read is no refusal of the cancellation. */
function asUnconfirmed(error: unknown): never {
  if (!(error instanceof ProcessorError)) throw error
  const { acquiring, retryAfter } = error
  throw new ProcessorError(acquiring, 'unavailable', 'a cancellation cannot be confirmed', {
    ...{ answered: false, retryAfter, cause: error },
  })
}

const isCancelled = ({ status, cancelAtPeriodEnd }: Cancellation) => cancelAtPeriodEnd || status === 'canceled'

/** Null for a reply that cannot be read: the call may have taken effect. */
async function unlessUnexpected<Value>(call: Promise<Value>): Promise<Value | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof UnexpectedReply) return null
    throw error
  }
}
