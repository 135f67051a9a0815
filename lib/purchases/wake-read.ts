import { currentRequestId, log } from '../log/log.ts'
import type { PurchaseReference } from '../processors/processor.ts'
import type { ProcessorName } from '../processors/processor-name.ts'

/** A purchase or page that events wait for. */
export interface PendingRead {
  paywallId: string
  acquiring: ProcessorName
  kind: PurchaseReference['kind']
  processorId: string
}

/** A message of the queue. `requestId` is that of the request which caused the read, for the log. */
export type ReadMessage = PendingRead & { requestId: string | null }

/** What comes later than this the cron finds, which comes every minute. */
const MOST_SECONDS = 30

/**
 * Has `reconcile` read what pending events wait for when they are due; to be handed to `waitUntil`, since their due time is
 * stored. If the queue is away, the cron finds them within a minute. Never throws.
 */
export async function wakeRead(env: { READS: Queue }, read: PendingRead, seconds: number): Promise<void> {
  if (seconds > MOST_SECONDS) return
  try {
    await env.READS.send({ ...read, requestId: currentRequestId() } satisfies ReadMessage, {
      delaySeconds: Math.ceil(seconds),
    })
  } catch (cause) {
    log('warn', 'a read of pending events was not scheduled', { paywall_id: read.paywallId, cause })
  }
}
