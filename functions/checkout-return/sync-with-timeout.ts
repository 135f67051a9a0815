import type { Database } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { log } from '../../lib/log/log.ts'
import type { Processor } from '../../lib/processors/client.ts'
import type { PurchaseReference } from '../../lib/processors/processor.ts'
import {
  NO_EVENT,
  queuedDeliveries,
  type SyncResult,
  type SyncTrigger,
  syncPurchase,
} from '../../lib/purchases/sync-purchase.ts'

/** How long a browser waits for the processor, in milliseconds. If that is not enough, the webhook brings the purchase. */
const TIMEOUT_MS = 2_500

export interface RequestContext {
  db: Database
  env: Cloudflare.CheckoutReturnEnv
  /** Receives the work that continues after the response. */
  waitUntil: (work: Promise<unknown>) => void
}

/**
 * Fetches and stores the purchase that a browser returns from. Returns null if that fails or times out; after a timeout it continues after
 * the response.
 *
 * @param processor Disposed of when the fetch has finished, which may be after the response
 * @param fetchedAt The paywall's time before the fetch
 */
export function syncWithTimeout(
  context: RequestContext,
  processor: Processor,
  about: PurchaseReference,
  { paywallId, fetchedAt }: { paywallId: string; fetchedAt: string },
): Promise<SyncResult | null> {
  const synced = sync(context, processor, about, { ...NO_EVENT, paywallId, fetchedAt }).catch((cause) => {
    log('warn', 'browser redirected before its purchase is stored', { paywall_id: paywallId, cause })
    return null
  })
  context.waitUntil(synced)
  return Promise.race([synced, scheduler.wait(TIMEOUT_MS).then(() => null)])
}

async function sync(
  { db, env, waitUntil }: RequestContext,
  processor: Processor,
  about: PurchaseReference,
  trigger: SyncTrigger,
): Promise<SyncResult> {
  using own = processor
  const result = await syncPurchase({ db, env }, own, about, trigger)
  waitUntil(wakeDeliverEvents(env, queuedDeliveries(result.stored)))
  return result
}
