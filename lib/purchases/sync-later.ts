import { wakeDeliverEvents } from '../events/wake.ts'
import { log } from '../log/log.ts'
import type { Processor } from '../processors/client.ts'
import type { PurchaseReference } from '../processors/processor.ts'
import type { PurchaseContext } from './stop-charging.ts'
import { queuedDeliveries, type SyncTrigger, syncPurchase } from './sync-purchase.ts'

/**
 * Stores what a call has changed at the processor, after the response. If that fails, the reconcile cron fetches the purchase ten minutes
 * later.
 */
export async function syncLater(
  context: PurchaseContext & { env: { EVENTS: Queue } },
  processor: Processor,
  about: PurchaseReference,
  trigger: SyncTrigger,
): Promise<void> {
  try {
    const { stored } = await syncPurchase(context, processor, about, trigger)
    await wakeDeliverEvents(context.env, queuedDeliveries(stored))
  } catch (cause) {
    log('warn', 'change not synced yet', { paywall_id: trigger.paywallId, acquiring: processor.acquiring, cause })
  }
}
