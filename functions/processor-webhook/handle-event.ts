// From a verified event to a stored purchase:
// 1. fetch the current purchase and store it with the event's money fact (sync-purchase.ts); all calls to the processor together may take
//    four seconds
// 2. if that fails, or the read is older than the event, keep the event: `reconcile` retries the read, soon and often. Nothing can be lost
//    from then on, so the response is 2xx: one processor disables an endpoint after ten failures
// 3. after the response, wake deliver-events if an event to the owner was written
import { keepEvent } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { log } from '../../lib/log/log.ts'
import type { Processor } from '../../lib/processors/client.ts'
import type { ProcessorEvent } from '../../lib/processors/event.ts'
import { ProcessorError, type PurchaseReference } from '../../lib/processors/processor.ts'
import { withTimeout } from '../../lib/processors/with-timeout.ts'
import { queuedDeliveries, type SyncTrigger, syncPurchase } from '../../lib/purchases/sync-purchase.ts'
import { wakeRead } from '../../lib/purchases/wake-read.ts'

/** For all calls to the processor. Less than the timeout of any processor's webhook, with time to record the kept event. */
export const READ_MS = 4_000

export interface RequestContext {
  db: Database
  env: Cloudflare.ProcessorWebhookEnv
  /** Receives the work that continues after the response. */
  waitUntil: (work: Promise<unknown>) => void
}

type KeepEventResult = { verdict: 'repeated' } | { verdict: 'kept'; wait: number }

/** The state of an event's account. */
export interface AccountRead {
  paywallId: string
  /** The paywall's time before the fetch that follows. */
  fetchedAt: string
  /** Whether the processor has asked us to pause calls (`Retry-After`): then nothing is fetched. */
  isHeld: boolean
  /** When to stop waiting for the processor, in milliseconds since 1970. */
  deadline: number
}

/** Handles a verified event of a paywall. */
export async function handleEvent(
  { db, env, waitUntil }: RequestContext,
  processor: Processor,
  { id: eventId, about, payment, trialEnding, versions = {} }: ProcessorEvent,
  { paywallId, fetchedAt, isHeld, deadline }: AccountRead,
): Promise<void> {
  if (!about) return
  const trigger = { paywallId, eventId, fetchedAt, payment, trialEnding, versions }
  const outcome = isHeld
    ? DEFER
    : await syncEvent({ db, env, waitUntil }, untilDeadline(processor, deadline), about, trigger)
  if (outcome === 'applied') return

  const { acquiring } = processor
  const kept = await keepEvent<KeepEventResult>(db, {
    paywallId,
    acquiring,
    eventId,
    versions,
    trialEnding,
    reference: toReferenceJson(about),
    payment: payment && { ...payment, occurred_at: payment.occurredAt },
    ...(outcome.hold !== null && { hold: outcome.hold }),
  })
  if (kept.verdict === 'kept') {
    waitUntil(wakeRead(env, { paywallId, acquiring, kind: about.kind, processorId: about.id }, kept.wait))
  }
}

/** An event that must be kept. `hold` is the processor's `Retry-After` in seconds. */
interface Deferral {
  hold: number | null
}
const DEFER: Deferral = { hold: null }

async function syncEvent(
  { db, env, waitUntil }: RequestContext,
  processor: Processor,
  about: PurchaseReference,
  trigger: SyncTrigger,
): Promise<'applied' | Deferral> {
  const { paywallId } = trigger
  try {
    const { stored, isOutdated } = await syncPurchase({ db, env }, processor, about, trigger)
    if (stored?.verdict === 'unknown_checkout') {
      log('warn', 'purchase without a checkout of ours', { paywall_id: paywallId })
    }
    waitUntil(wakeDeliverEvents(env, queuedDeliveries(stored)))
    return isOutdated ? DEFER : 'applied'
  } catch (cause) {
    if (!(cause instanceof ProcessorError)) throw cause
    log('warn', 'read of an event deferred', { paywall_id: paywallId, cause })
    return { hold: cause.retryAfter }
  }
}

/** The processor with a deadline for fetching a purchase. */
const untilDeadline = (processor: Processor, deadline: number): Processor => ({
  ...processor,
  fetchPurchase: (about) => withTimeout(processor.acquiring, processor.fetchPurchase(about), deadline - Date.now()),
})

const toReferenceJson = (about: PurchaseReference) => ({
  kind: about.kind,
  id: about.id,
  sold_to: about.kind === 'page' ? null : (about.soldTo ?? null),
})
