// From a verified event to a stored purchase:
// 1. fetch the purchase as it is now, for four seconds at most, and store it with the event's money fact (catch-up.ts)
// 2. if that cannot be done, or shows less than the event does, keep the event: `reconcile` reads the purchase again, soon and often.
//    From then on nothing is lost, so the processor is answered 2xx: there is one that disables an endpoint after ten failures
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

/** Less than any processor waits for a response, with time to write down what was kept. */
const READ_MS = 4_000

export interface RequestContext {
  db: Database
  env: Cloudflare.ProcessorWebhookEnv
  /** Is given the work that the response does not wait for. */
  waitUntil: (work: Promise<unknown>) => void
}

/** What keep_event gives. */
type KeepEventResult = { verdict: 'repeated' } | { verdict: 'kept'; wait: number }

/** What was read of the account of an event. */
export interface AccountRead {
  paywallId: string
  /** The paywall's time before the fetch that follows. */
  fetchedAt: string
  /** Whether the processor has asked for some time without calls: then there is no fetch. */
  isHeld: boolean
}

/** Handles a verified event of a paywall. */
export async function handleEvent(
  { db, env, waitUntil }: RequestContext,
  processor: Processor,
  { id: eventId, about, payment, trialEnding, versions = {} }: ProcessorEvent,
  { paywallId, fetchedAt, isHeld }: AccountRead,
): Promise<void> {
  if (!about) return
  const trigger = { paywallId, eventId, fetchedAt, payment, trialEnding, versions }
  const outcome = isHeld ? DEFER : await syncEvent({ db, env, waitUntil }, processor, about, trigger)
  if (outcome === 'applied') return

  const { acquiring } = processor
  const kept = await keepEvent<KeepEventResult>(db, {
    ...{ paywallId, acquiring, eventId, versions, trialEnding },
    reference: toReferenceJson(about),
    payment: payment && { ...payment, occurred_at: payment.occurredAt },
    ...(outcome.hold !== null && { hold: outcome.hold }),
  })
  if (kept.verdict === 'kept') {
    waitUntil(wakeRead(env, { paywallId, acquiring, kind: about.kind, processorId: about.id }, kept.wait))
  }
}

/** An event that is to be kept. `hold`: how many seconds the processor asks to wait before the next call. */
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
    const { stored, isOutdated } = await syncPurchase({ db, env }, withFetchTimeout(processor), about, trigger)
    if (stored?.verdict === 'unknown_checkout') {
      log('warn', 'a purchase without a checkout of ours', { paywall_id: paywallId })
    }
    waitUntil(wakeDeliverEvents(env, queuedDeliveries(stored)))
    return isOutdated ? DEFER : 'applied'
  } catch (cause) {
    if (!(cause instanceof ProcessorError)) throw cause
    log('warn', 'the purchase of an event is read later', { paywall_id: paywallId, cause })
    return { hold: cause.retryAfter }
  }
}

/** The processor, of which a purchase that takes too long is not fetched. */
const withFetchTimeout = (processor: Processor): Processor => ({
  ...processor,
  fetchPurchase: (about) => withTimeout(processor.acquiring, processor.fetchPurchase(about), READ_MS),
})

const toReferenceJson = (about: PurchaseReference) => ({
  kind: about.kind,
  id: about.id,
  sold_to: about.kind === 'page' ? null : (about.soldTo ?? null),
})
