// From a hint to a stored purchase:
// 1. fetch the purchase as it is now: events come late, twice and in any order, so what they say of it may be old
// 2. store it (store-purchase.sql), unless a later fetch is stored already. That finds what has changed, and tells the owner
// 3. if it is the second trial of its buyer, end it at the processor, so that nobody is charged for it
import { storePurchase } from '../../generated/calls.ts'
import type { Database } from '../db/connect.ts'
import { log } from '../http/log.ts'
import { newEmail } from '../http/user-fields.ts'
import type { Processor } from '../processors/client.ts'
import type { PaymentFact } from '../processors/event.ts'
import type { PurchaseReference, PurchaseSnapshot } from '../processors/processor.ts'

/** What is known of a purchase before it is fetched. */
export interface Hint {
  paywallId: string
  /** The processor event's id, by which a repeat is known; null if no event told us. */
  eventId: string | null
  /** The database's time before the fetch, as text: a later fetch always wins. */
  fetchedAt: string
  payment: PaymentFact | null
  /** The processor says that the trial is about to end. It is told three days ahead anyway, once. */
  trialEnding: boolean
}

/** The hint when no event told us: we fetched on our own. */
export const NO_EVENT = { eventId: null, payment: null, trialEnding: false } satisfies Partial<Hint>

/** What store_purchase gives: see store-purchase.sql. `queued` is how many deliveries it has queued. */
type Stored =
  | { verdict: 'stored' | 'second_trial'; queued: number; way_back: string }
  | { verdict: 'repeated' | 'never_bought'; queued: number }
  | { verdict: 'unknown_checkout' }

export interface CaughtUp {
  stored: Stored | null
  isUndecided: boolean
}

/** What the processor is told, where it keeps a reason. */
const SECOND_TRIAL = 'The buyer has had a trial'

/**
 * The one path by which a purchase gets here, whatever made us look: it is fetched as it is now, and stored. `stored` is
 * null if there is none: nothing was bought yet, or another paywall sold it. May be repeated.
 *
 * @throws ProcessorError
 */
export async function catchUp(
  db: Database,
  processor: Processor,
  about: PurchaseReference,
  { paywallId, eventId, fetchedAt, payment, trialEnding }: Hint,
): Promise<CaughtUp> {
  const { purchase: snapshot, isUndecided } = await processor.fetchPurchase(about)
  if (!snapshot) return { stored: null, isUndecided }
  const soldTo = about.kind === 'page' ? undefined : about.soldTo
  const stored = await storePurchase<Stored>(db, {
    paywallId,
    acquiring: processor.acquiring,
    checkoutId: snapshot.checkoutId,
    sold: { email: soldTo ?? snapshot.buyerEmail, processor_price: snapshot.processorPrice, sold_at: snapshot.soldAt },
    snapshot: columnsOf(snapshot),
    fetchedAt,
    periodCovered: snapshot.periodCovered,
    trialEnding,
    payment: payment && { ...payment, occurred_at: payment.occurredAt },
    eventId,
  })
  const goesOn = snapshot.status !== 'canceled' && !snapshot.cancelAtPeriodEnd
  if (stored.verdict === 'second_trial' && goesOn) {
    log('info', 'a second trial is ended', { paywall_id: paywallId, checkout_id: snapshot.checkoutId })
    await processor.cancelAtPeriodEnd(snapshot.processorId, SECOND_TRIAL)
  }
  return { stored, isUndecided }
}

/** The number of deliveries that a stored purchase made wait. */
export const queuedBy = (stored: Stored | null): number => (stored && 'queued' in stored ? stored.queued : 0)

/** A snapshot by the names of the columns that it is kept in. */
function columnsOf(snapshot: PurchaseSnapshot) {
  return {
    processor_id: snapshot.processorId,
    processor_customer: snapshot.customer,
    buyer_email: newEmail.safeParse(snapshot.buyerEmail).data ?? null,
    status: snapshot.status,
    begun: snapshot.begun,
    interval: snapshot.interval,
    interval_count: snapshot.intervalCount,
    unit_amount: snapshot.unitAmount,
    currency: snapshot.currency,
    current_period_start: snapshot.currentPeriodStart,
    current_period_end: snapshot.currentPeriodEnd,
    trial_start: snapshot.trialStart,
    trial_end: snapshot.trialEnd,
    cancel_at_period_end: snapshot.cancelAtPeriodEnd,
    cancel_at: snapshot.cancelAt,
    canceled_at: snapshot.canceledAt,
  }
}
