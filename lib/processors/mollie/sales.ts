// From a payment to a purchase. A one-time payment is one by itself. For a first payment:
// 1. read its subscription and the charges
// 2. make the subscription if it is missing, or end it if the buyer has cancelled meanwhile
// 3. take the snapshot. If that says that the purchase has ended, end the subscription, too
import type { PurchaseReference } from '../processor.ts'
import type { MollieApi } from './api.ts'
import { daysLater } from './dates.ts'
import { FirstSale, type Payment, Renewal } from './objects.ts'
import { findPayment } from './payments.ts'
import { type Found, isGivenBack, type RecurringSale, snapshotOfPayment, snapshotOfSubscription } from './snapshots.ts'
import {
  endSubscription,
  findSubscription,
  firstChargeOf,
  hasEnded,
  makeSubscription,
  readCharges,
} from './subscriptions.ts'

/**
 * The purchase that a payment led to. Null if there is no such payment, or if it was looked up as a page that has sold
 * nothing; a purchase that is stored already is returned whatever became of its payment. The purchase may be another
 * paywall's: the caller compares `paywallId`.
 */
export async function fetchSale(
  api: MollieApi,
  { kind, id }: PurchaseReference,
  paywallId: string,
  now: Date,
): Promise<Found> {
  const payment = await findPayment(api, id)
  if (!payment || (kind === 'page' && !mayBeSold(payment))) return null
  // A renewal's payment is part of the purchase that its first payment began.
  if (payment.sequenceType === 'recurring') return fetchSaleOfCharge(api, payment, paywallId, now)
  const oneTime = snapshotOfPayment(payment)
  // Paywalls may share a Mollie account: only the one that sold it makes the subscription.
  if (oneTime?.paywallId !== paywallId || payment.sequenceType !== 'first') return oneTime

  const sale = FirstSale.parse(payment.metadata)
  if (payment.status !== 'paid') return snapshotOfSubscription({ payment, sale, subscription: null, charges: [] }, now)
  const recurring = await ensureSubscription(api, await readSale(api, payment, sale), now)
  return endIfOver(api, recurring, now)
}

async function fetchSaleOfCharge(api: MollieApi, charge: Payment, paywallId: string, now: Date): Promise<Found> {
  const renewal = Renewal.safeParse(charge.metadata)
  if (!renewal.success || renewal.data.first_payment === charge.id) return null
  return fetchSale(api, { kind: 'subscription', id: renewal.data.first_payment }, paywallId, now)
}

/** Whether a payment is paid or may still be: an open one counts, because it may be paid between two looks at it. */
export async function isUndecided(api: MollieApi, id: string): Promise<boolean> {
  const payment = await findPayment(api, id)
  return payment !== null && (payment.status === 'open' || mayBeSold(payment))
}

/** Stops the renewal of a purchase, and returns the purchase as it is then. Null if there is no such payment. */
export async function endSale(api: MollieApi, id: string, now: Date): Promise<Found> {
  const payment = await findPayment(api, id)
  if (!payment) return null
  const sale = FirstSale.parse(payment.metadata)
  const recurring = await readSale(api, payment, sale)
  if (recurring.subscription) {
    const subscription = await endSubscription(api, recurring.subscription)
    return snapshotOfSubscription({ ...recurring, subscription }, now)
  }
  // There is no subscription yet: the date of the cancellation in the payment's metadata keeps it from being made.
  const canceled = { ...sale, canceled_at: sale.canceled_at ?? now }
  await api.patch(`/payments/${encodeURIComponent(id)}`, { metadata: canceled })
  return snapshotOfSubscription({ ...recurring, sale: canceled }, now)
}

/** Whether a payment is paid, or may be soon: the bank has not decided yet. */
const mayBeSold = ({ status }: Payment) => status === 'paid' || status === 'pending' || status === 'authorized'

/** Makes the subscription of a paid first payment if it is missing, and ends it if the buyer has cancelled. */
async function ensureSubscription(api: MollieApi, recurring: RecurringSale, now: Date): Promise<RecurringSale> {
  const { payment, sale, subscription } = recurring
  if (subscription) {
    // The buyer cancelled while another call was making the subscription.
    const isUnwanted = sale.canceled_at && !hasEnded(subscription)
    return isUnwanted ? { ...recurring, subscription: await endSubscription(api, subscription) } : recurring
  }
  const isOver = daysLater(firstChargeOf(payment, sale), 1) <= now
  if (sale.canceled_at || isGivenBack(payment) || isOver) return recurring
  return withCharges(api, { payment, sale, subscription: await makeSubscription(api, payment, sale) })
}

async function readSale(api: MollieApi, payment: Payment, sale: FirstSale): Promise<RecurringSale> {
  return withCharges(api, { payment, sale, subscription: await findSubscription(api, payment) })
}

/** Reads the charges after the subscription and not at the same time: see `snapshotOfSubscription`. */
async function withCharges(api: MollieApi, sale: Omit<RecurringSale, 'charges'>): Promise<RecurringSale> {
  return { ...sale, charges: sale.subscription ? await readCharges(api, sale.subscription) : [] }
}

/** The snapshot. If it has ended, so must the subscription: a suspended one could charge again after a new mandate. */
async function endIfOver(api: MollieApi, recurring: RecurringSale, now: Date): Promise<Found> {
  const found = snapshotOfSubscription(recurring, now)
  const { subscription } = recurring
  if (found?.purchase.status !== 'canceled' || !subscription || hasEnded(subscription)) return found
  return snapshotOfSubscription({ ...recurring, subscription: await endSubscription(api, subscription) }, now)
}
