// From a trigger to a stored purchase:
// 1. fetch the current purchase: events come late, repeatedly and in any order, so their content may be outdated
// 2. store it (store-purchase.sql), unless something newer is known already. That detects the changes and emits the events to the owner
// 3. if it is the second trial of its buyer, end it at the processor, so that the buyer is not charged
// 4. if it replaces older subscriptions, stop those (stop-charging.ts)
import { recordHold, storePurchase } from '../../generated/calls.ts'
import { newEmail } from '../http/user-fields.ts'
import { log } from '../log/log.ts'
import { type Processor, processorFor } from '../processors/client.ts'
import { isBehind, type ObjectVersions } from '../processors/object-versions.ts'
import type { FetchedPurchase, PaymentFact, PurchaseReference, PurchaseSnapshot } from '../processors/processor.ts'
import { type PurchaseContext, type StopOrder, stopCharging } from './stop-charging.ts'

/** What is known of a purchase before it is fetched. */
export interface SyncTrigger {
  paywallId: string
  /** The processor event's id, by which duplicates are recognised; null if no event triggered the sync. */
  eventId: string | null
  /** The paywall's time before the fetch, as text: a later fetch always wins. */
  fetchedAt: string
  payment: PaymentFact | null
  /** Whether the processor has announced the end of the trial. The owner is notified three days ahead anyway, once. */
  trialEnding: boolean
  /** The versions of the objects that the event carries: see `ProcessorEvent.versions`. */
  versions?: ObjectVersions
  /** True once the event is so old that a fetch without these versions is accepted. */
  mayMiss?: boolean
}

/** The trigger of a sync without an event. */
export const NO_EVENT = { eventId: null, payment: null, trialEnding: false } satisfies Partial<SyncTrigger>

/** The result of store_purchase: see store-purchase.sql. `queued` is the number of queued deliveries. */
type StoreResult =
  | { verdict: 'stored'; queued: number; return_url: string; stop: StopOrder[]; unmatched_price: string | null }
  | { verdict: 'second_trial'; queued: number; return_url: string }
  | { verdict: 'repeated' | 'never_bought' | 'outdated'; queued: number }
  | { verdict: 'unknown_checkout' }

type FirstChargeUnknown = { verdict: 'first_charge_unknown'; hosted_page_id: string | null; asked: number }

export interface SyncResult {
  stored: StoreResult | null
  isUndecided: boolean
  /** Whether the fetch was outdated and not stored: fetch again later. */
  isOutdated: boolean
  /** Whether something remains to be done at the processor. If the purchase was stored, a further read is pending for that. */
  isUnfinished: boolean
}

/** The cancellation reason for processors that store one. */
const SECOND_TRIAL = 'The buyer has had a trial'

/**
 * The only way to store a purchase, whatever the trigger: fetches its current state and stores it. `stored` is null if there is none:
 * nothing was bought yet, or another paywall sold it. Idempotent.
 *
 * @throws ProcessorError
 */
export async function syncPurchase(
  context: PurchaseContext,
  processor: Processor,
  about: PurchaseReference,
  trigger: SyncTrigger,
): Promise<SyncResult> {
  return storeFetched(context, processor, about, await processor.fetchPurchase(about), trigger)
}

/** Stores a fetched purchase: see `syncPurchase`. One fetch may serve several events. */
export async function storeFetched(
  context: PurchaseContext,
  processor: Processor,
  about: PurchaseReference,
  fetched: FetchedPurchase,
  trigger: SyncTrigger,
): Promise<SyncResult> {
  const { paywallId, eventId, fetchedAt, payment, trialEnding, versions: known = {}, mayMiss = false } = trigger
  const { purchase: snapshot, isUndecided, unfinished, versions = snapshot?.versions ?? {} } = fetched
  const isUnfinished = unfinished !== undefined
  // An event may report a sale that its page does not show yet.
  const isMissing = isUndecided && Object.keys(known).length > 0 && !mayMiss
  if (isMissing || isBehind(versions, known, mayMiss))
    return { stored: null, isUndecided, isOutdated: true, isUnfinished }
  if (!snapshot) return { stored: null, isUndecided, isOutdated: false, isUnfinished }
  const soldTo = about.kind === 'page' ? undefined : about.soldTo
  const stored = await storePurchase<StoreResult | FirstChargeUnknown>(context.db, {
    paywallId,
    acquiring: processor.acquiring,
    checkoutId: snapshot.checkoutId,
    sold: {
      email: soldTo ?? snapshot.buyerEmail,
      processor_price: snapshot.soldAs?.processorPrice,
      interval: snapshot.soldAs?.interval,
      sold_at: snapshot.startedAt,
    },
    snapshot: toColumns(snapshot),
    fetchedAt,
    periodCovered: snapshot.periodCovered,
    trialEnding,
    payments: distinctFacts([...(fetched.payments ?? []), ...(payment ? [withReceipt(payment, fetched)] : [])]).map(
      factJson,
    ),
    eventId,
    versions,
    unfinished: isUnfinished,
  })
  if (stored.verdict === 'first_charge_unknown') {
    const charged = (await readFirstCharge(processor, stored.hosted_page_id, snapshot)) ?? stored.asked
    return storeFetched(context, processor, about, { ...fetched, purchase: { ...snapshot, charged } }, trigger)
  }
  if (unfinished && unfinished.retryAfter !== null) {
    await recordHold(context.db, { paywallId, acquiring: processor.acquiring, hold: unfinished.retryAfter })
  }
  const goesOn = snapshot.status !== 'canceled' && !snapshot.cancelAtPeriodEnd
  if (stored.verdict === 'second_trial' && goesOn) {
    log('info', 'second trial ended', { paywall_id: paywallId, checkout_id: snapshot.checkoutId })
    await processor.cancelAtPeriodEnd(snapshot.processorId, SECOND_TRIAL, snapshot.versions ?? {})
  }
  if (stored.verdict === 'stored' && stored.unmatched_price !== null) {
    const fields = { paywall_id: paywallId, processor_price: stored.unmatched_price }
    log('warn', 'subscription charged for a price that is not in the paywall file', fields)
  }
  if (stored.verdict === 'stored') stored.queued += await stopAll(context, stored.stop)
  return { stored, isUndecided, isOutdated: stored.verdict === 'outdated', isUnfinished }
}

/** The amount that the hosted page charged, which a renewed subscription may no longer show. Null if the page does not show it either. */
async function readFirstCharge(
  processor: Processor,
  pageId: string | null,
  { processorId }: PurchaseSnapshot,
): Promise<number | null> {
  if (pageId === null) return null
  const { purchase } = await processor.fetchPurchase({ kind: 'page', id: pageId })
  return purchase?.processorId === processorId ? purchase.charged : null
}

/**
 * Stops the subscriptions that a purchase replaces, and syncs them, since not every processor sends a webhook for that. Returns the number
 * of queued deliveries.
 */
async function stopAll(context: PurchaseContext, orders: StopOrder[]): Promise<number> {
  let total = 0
  for (const order of orders) {
    const { fetchedAt, queued } = await stopCharging(context, order)
    total += queued + (fetchedAt === null ? 0 : await syncStopped(context, order, fetchedAt))
  }
  return total
}

/** On failure the reconcile cron fetches it. */
async function syncStopped(context: PurchaseContext, { account, processor_id: id }: StopOrder, fetchedAt: string) {
  const { paywallId } = account
  try {
    using processor = processorFor(account, context.env)
    const about = { kind: 'subscription', id } as const
    const { stored } = await syncPurchase(context, processor, about, { ...NO_EVENT, paywallId, fetchedAt })
    return queuedDeliveries(stored)
  } catch (cause) {
    log('warn', 'stopped subscription not synced yet', {
      paywall_id: paywallId,
      acquiring: account.acquiring,
      cause,
    })
    return 0
  }
}

/** The number of deliveries that storing a purchase queued. */
export const queuedDeliveries = (stored: StoreResult | null): number =>
  stored && 'queued' in stored ? stored.queued : 0

/** Removes duplicates. A fact of the fetch precedes the event's own, since it names its payment. */
const distinctFacts = (facts: PaymentFact[]): PaymentFact[] =>
  facts.filter((fact, index) => facts.findIndex(({ kind, id }) => kind === fact.kind && id === fact.id) === index)

/** The payment of a one-time purchase, with the receipt that the fetch shows. */
const withReceipt = (payment: PaymentFact, { receiptUrl }: FetchedPurchase): PaymentFact =>
  payment.kind === 'succeeded' && receiptUrl !== undefined ? { ...payment, receiptUrl } : payment

function factJson(fact: PaymentFact) {
  const {
    kind,
    id,
    paymentId = id,
    amount,
    currency,
    occurredAt,
    tax,
    discount,
    receiptUrl,
    paysFor,
    broughtNothing,
  } = fact
  const period = paysFor && {
    period_from: paysFor.from,
    processor_price: paysFor.processorPrice,
    quantity: paysFor.quantity,
  }
  return {
    kind,
    id,
    payment_id: paymentId,
    amount,
    currency,
    occurred_at: occurredAt,
    tax,
    discount,
    receipt_url: receiptUrl,
    brought_nothing: broughtNothing,
    ...period,
  }
}

/** A snapshot by the names of its columns. */
function toColumns(snapshot: PurchaseSnapshot) {
  return {
    processor_id: snapshot.processorId,
    processor_customer: snapshot.customer,
    started_at: snapshot.startedAt,
    processor_price: snapshot.processorPrice,
    price_covered: snapshot.priceCovered,
    changed_in_period: snapshot.changedInPeriod,
    scheduled_price: snapshot.scheduledChange?.processorPrice ?? null,
    scheduled_charge: toCharge(snapshot.scheduledChange?.charge),
    scheduled_change_at: snapshot.scheduledChange?.at ?? null,
    scheduled_quantity: snapshot.scheduledChange?.quantity ?? null,
    charged: snapshot.charged,
    buyer_email: newEmail.safeParse(snapshot.buyerEmail).data ?? null,
    status: snapshot.status,
    begun: snapshot.begun,
    interval: snapshot.interval,
    interval_count: snapshot.intervalCount,
    unit_amount: snapshot.unitAmount,
    quantity: snapshot.quantity,
    currency: snapshot.currency,
    current_period_start: snapshot.currentPeriodStart,
    current_period_end: snapshot.currentPeriodEnd,
    trial_start: snapshot.trialStart,
    trial_end: snapshot.trialEnd,
    cancel_at_period_end: snapshot.cancelAtPeriodEnd,
    cancel_at: snapshot.cancelAt,
    canceled_at: snapshot.canceledAt,
    versions: snapshot.versions ?? {},
  }
}

const toCharge = (charge: NonNullable<PurchaseSnapshot['scheduledChange']>['charge']) =>
  charge && {
    unit_amount: charge.unitAmount,
    currency: charge.currency,
    interval: charge.interval,
    interval_count: charge.intervalCount,
  }
