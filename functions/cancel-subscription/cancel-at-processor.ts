import type { Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/log.ts'
import type { Cancellation } from '../../lib/processors/processor.ts'
import { type ProcessorEnv, processorFor } from '../../lib/processors/registry.ts'
import type { ClaimedSubscription } from './claim-cancellation.sql.ts'
import { acceptCancellation, releaseCancellation } from './settle-cancellation.sql.ts'

/**
 * Cancels the claimed subscription at its processor and records what came of it.
 *
 * @throws ProcessorError
 */
export async function cancelAtProcessor(
  db: Database,
  env: ProcessorEnv,
  claim: ClaimedSubscription,
  reason: string,
): Promise<Cancellation> {
  const account = { paywallId: claim.paywall_id, acquiring: claim.acquiring, credentials: claim.credentials }
  try {
    const processor = await processorFor(account, env)
    const cancellation = await processor.cancelAtPeriodEnd(claim.processor_id, reason)
    await record(acceptCancellation(db, claim))
    return cancellation
  } catch (error) {
    await record(releaseCancellation(db, claim))
    throw error
  }
}

/** What the processor said is the answer, written down or not: a claim that is not settled ends with its lease. */
async function record(writing: Promise<void>): Promise<void> {
  try {
    await writing
  } catch (cause) {
    log('error', 'what came of a cancellation is not recorded', { cause })
  }
}
