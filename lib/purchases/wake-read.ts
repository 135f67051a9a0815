import { currentRequestId, log } from '../log/log.ts'
import type { PurchaseReference } from '../processors/processor.ts'
import type { ProcessorName } from '../processors/processor-name.ts'

/** A purchase or page with pending events. */
export interface PendingRead {
  paywallId: string
  acquiring: ProcessorName
  kind: PurchaseReference['kind']
  processorId: string
}

/** A message of the queue. `requestId` is that of the request which caused the read, for the log. */
export type ReadMessage = PendingRead & { requestId: string | null }

/** Later reads are left to the cron, which runs every minute. */
const MOST_SECONDS = 30

/**
 * Schedules `reconcile` to read a purchase with pending events when they are due; for `waitUntil`, since their due time is stored. If the
 * queue is unavailable, the cron finds them within a minute. Never throws.
 */
export async function wakeRead(env: { READS: Queue }, read: PendingRead, seconds: number): Promise<void> {
  if (seconds > MOST_SECONDS) return
  try {
    await env.READS.send({ ...read, requestId: currentRequestId() } satisfies ReadMessage, {
      delaySeconds: Math.ceil(seconds),
    })
  } catch (cause) {
    log('warn', 'read of pending events not scheduled', { paywall_id: read.paywallId, cause })
  }
}
