// Cancels a claimed subscription:
// 1. ask the processor to end it at the end of its period. If that fails, give the claim up, so that the next call can retry at once
// 2. record that the processor accepted it
// 3. after the response, fetch and store the subscription if its processor sends no webhook for a cancellation
import { acceptCancellation, giveUpCancellation } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/log/log.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { type Cancellation, ProcessorError } from '../../lib/processors/processor.ts'
import { syncLater } from '../../lib/purchases/sync-later.ts'
import { NO_EVENT } from '../../lib/purchases/sync-purchase.ts'
import type { ClaimedSubscription } from './claimed-subscription.ts'

/**
 * Cancels the claimed subscription at its processor and records the result. `later` receives the work that continues after the response.
 *
 * @throws ProcessorError
 */
export async function cancelAtProcessor(
  db: Database,
  env: Cloudflare.CancelSubscriptionEnv,
  claim: ClaimedSubscription,
  reason: string,
  later: (work: Promise<unknown>) => void,
): Promise<Cancellation> {
  const claimed = { subscriptionId: claim.id, requestedAt: claim.requested_at }
  try {
    const processor = processorFor(claim.account, env)
    const cancellation = await processor.cancelAtPeriodEnd(claim.processor_id, reason, claim.versions)
    const { versions } = cancellation
    const acceptedAt = await record(acceptCancellation<string>(db, { ...claimed, ...(versions && { versions }) }))
    if (acceptedAt && !cancellation.isReportedByWebhook) {
      const trigger = { ...NO_EVENT, paywallId: claim.account.paywallId, fetchedAt: acceptedAt }
      later(syncLater({ db, env }, processor, { kind: 'subscription', id: claim.processor_id }, trigger))
    }
    return cancellation
  } catch (error) {
    await record(giveUpCancellation(db, { ...claimed, isKnown: isKnownNotTaken(error) }))
    throw error
  }
}

/** A processor that responds that it is unavailable may still have accepted the request. */
export function isKnownNotTaken(error: unknown): boolean {
  if (!(error instanceof ProcessorError)) return false
  return error.kind === 'misconfigured' || (error.answered && error.kind !== 'unavailable')
}

/** The caller gets the processor's result even if it cannot be recorded: then the claim expires with its lease. */
async function record<Recorded>(writing: Promise<Recorded>): Promise<Recorded | undefined> {
  try {
    return await writing
  } catch (cause) {
    log('error', 'result of a cancellation not recorded', { cause })
    return undefined
  }
}
