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

/** How long the browser may be kept waiting for the processor, in milliseconds; then the webhook catches up. */
const TIMEOUT_MS = 2_500

export interface RequestContext {
  db: Database
  env: Cloudflare.CheckoutReturnEnv
  /** Is given the work that the response does not wait for. */
  waitUntil: (work: Promise<unknown>) => void
}

/**
 * Fetches what a browser comes back from and stores it. Null if that fails, or takes too long: then it goes on after the response.
 *
 * @param processor Disposed of when the fetch is over, which may be after the response
 * @param fetchedAt The database's time before the fetch
 */
export function syncWithTimeout(
  context: RequestContext,
  processor: Processor,
  about: PurchaseReference,
  { paywallId, fetchedAt }: { paywallId: string; fetchedAt: string },
): Promise<SyncResult | null> {
  const synced = sync(context, processor, about, { ...NO_EVENT, paywallId, fetchedAt }).catch((cause) => {
    log('warn', 'a returning browser goes on before its purchase is stored', { paywall_id: paywallId, cause })
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
