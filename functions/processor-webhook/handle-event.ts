// From a verified event to a stored purchase:
// 1. fetch the purchase as it is now, for four seconds at most, and store it with the event's money fact (catch-up.ts)
// 2. if that cannot be done, or shows less than the event does, keep the event: `reconcile` reads the purchase again, soon and often.
//    From then on nothing is lost, so the processor is answered 2xx: there is one that disables an endpoint after ten failures
// 3. after the response, wake deliver-events if an event to the owner was written
import { keepEvent } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { log } from '../../lib/http/log.ts'
import type { Processor } from '../../lib/processors/client.ts'
import type { ProcessorEvent } from '../../lib/processors/event.ts'
import { ProcessorError, type PurchaseReference } from '../../lib/processors/processor.ts'
import { catchUp, type Hint, queuedBy } from '../../lib/purchases/catch-up.ts'
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

/**
 * Handles a verified event of a paywall. `fetchedAt`: the paywall's time before the fetch that follows; `isHeld`: whether the processor
 * asks for some time without calls, so that there is none.
 */
export async function handleEvent(
  { db, env, waitUntil }: RequestContext,
  processor: Processor,
  { id: eventId, about, payment, trialEnding, versions = {} }: ProcessorEvent,
  { paywallId, fetchedAt, isHeld }: { paywallId: string; fetchedAt: string; isHeld: boolean },
): Promise<void> {
  if (!about) return
  const hint = { paywallId, eventId, fetchedAt, payment, trialEnding, versions }
  const outcome = isHeld ? KEEP : await apply({ db, env, waitUntil }, processor, about, hint)
  if (outcome === 'applied') return

  const { acquiring } = processor
  const kept = await keepEvent<KeepEventResult>(db, {
    ...{ paywallId, acquiring, eventId, versions, trialEnding },
    reference: referenceJson(about),
    payment: payment && { ...payment, occurred_at: payment.occurredAt },
    ...(outcome.hold !== null && { hold: outcome.hold }),
  })
  if (kept.verdict === 'kept') {
    waitUntil(wakeRead(env, { paywallId, acquiring, kind: about.kind, processorId: about.id }, kept.wait))
  }
}

/** An event that is to be kept. `hold`: how many seconds the processor asks to wait before the next call. */
interface Keep {
  hold: number | null
}
const KEEP: Keep = { hold: null }

async function apply(
  { db, env, waitUntil }: RequestContext,
  processor: Processor,
  about: PurchaseReference,
  hint: Hint,
): Promise<'applied' | Keep> {
  const { paywallId } = hint
  try {
    const { stored, isOutdated } = await catchUp({ db, env }, inTime(processor), about, hint)
    if (stored?.verdict === 'unknown_checkout') {
      log('warn', 'a purchase without a checkout of ours', { paywall_id: paywallId })
    }
    waitUntil(wakeDeliverEvents(env, queuedBy(stored)))
    return isOutdated ? KEEP : 'applied'
  } catch (cause) {
    if (!(cause instanceof ProcessorError)) throw cause
    log('warn', 'the purchase of an event is read later', { paywall_id: paywallId, cause })
    return { hold: cause.retryAfter }
  }
}

/** The processor, of which an answer that takes too long counts as none. */
function inTime(processor: Processor): Processor {
  const tooLate = () => {
    throw new ProcessorError(processor.acquiring, 'unavailable', 'no answer in time', { answered: false })
  }
  return {
    ...processor,
    fetchPurchase: (about) => Promise.race([processor.fetchPurchase(about), scheduler.wait(READ_MS).then(tooLate)]),
  }
}

const referenceJson = (about: PurchaseReference) => ({
  kind: about.kind,
  id: about.id,
  sold_to: about.kind === 'page' ? null : (about.soldTo ?? null),
})
