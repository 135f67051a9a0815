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
 * The purchase that a payment of a page led to. Null if there is no such payment, it is not the paywall's, or the page
 * sold nothing; of what is stored already it says so instead. Makes the subscription that a paid first payment begins.
 */
export async function fetchSale(
  api: MollieApi,
  { kind, id }: PurchaseReference,
  paywallId: string,
  now: Date,
): Promise<Found> {
  const payment = await findPayment(api, id)
  if (!payment || (kind === 'session' && !mayBeSold(payment))) return null
  // A charge is part of the sale that its first payment began.
  if (payment.sequenceType === 'recurring') return fetchSaleOf(api, payment, paywallId, now)
  const one = snapshotOfPayment(payment)
  // Paywalls may share an account: only the one that sold it makes the subscription.
  if (one?.paywallId !== paywallId || payment.sequenceType !== 'first') return one

  const sale = FirstSale.parse(payment.metadata)
  if (payment.status !== 'paid') return snapshotOfSubscription({ payment, sale, subscription: null, charges: [] }, now)
  return endedIfOver(api, await readStanding(api, payment, sale, now), now)
}

async function fetchSaleOf(api: MollieApi, charge: Payment, paywallId: string, now: Date): Promise<Found> {
  const renewal = Renewal.safeParse(charge.metadata)
  if (!renewal.success || renewal.data.first_payment === charge.id) return null
  return fetchSale(api, { kind: 'subscription', id: renewal.data.first_payment }, paywallId, now)
}

/** Whether a page's payment is not given up: it may be decided between two looks at it. */
export async function isUndecided(api: MollieApi, id: string): Promise<boolean> {
  const payment = await findPayment(api, id)
  return payment !== null && (payment.status === 'open' || mayBeSold(payment))
}

/** Stops a sale's renewal, and gives the purchase as it is then. */
export async function endSale(api: MollieApi, id: string, now: Date): Promise<Found> {
  const payment = await findPayment(api, id)
  if (!payment) return null
  const sale = FirstSale.parse(payment.metadata)
  const standing = await readSale(api, payment, sale)
  if (standing.subscription) {
    const subscription = await endSubscription(api, standing.subscription)
    return snapshotOfSubscription({ ...standing, subscription }, now)
  }
  // Nothing is there to be ended yet: a note keeps it from being made.
  const canceled = { ...sale, canceled_at: sale.canceled_at ?? now }
  await api.patch(`/payments/${encodeURIComponent(id)}`, { metadata: canceled })
  return snapshotOfSubscription({ ...standing, sale: canceled }, now)
}

/** What is paid may be sold, and what a bank has in hand. */
const mayBeSold = ({ status }: Payment) => status === 'paid' || status === 'pending' || status === 'authorized'

/** The same as `readSale`, with the subscription made where it is missing, and ended where it should not be there. */
async function readStanding(api: MollieApi, payment: Payment, sale: FirstSale, now: Date): Promise<RecurringSale> {
  const standing = await readSale(api, payment, sale)
  const { subscription } = standing
  if (subscription) {
    // It was being made at the moment in which the buyer cancelled.
    const isUnwanted = sale.canceled_at && !hasEnded(subscription)
    return isUnwanted ? { ...standing, subscription: await endSubscription(api, subscription) } : standing
  }
  const isOver = daysLater(firstChargeOf(payment, sale), 1) <= now
  if (sale.canceled_at || isGivenBack(payment) || isOver) return standing
  return withCharges(api, { payment, sale, subscription: await makeSubscription(api, payment, sale) })
}

async function readSale(api: MollieApi, payment: Payment, sale: FirstSale): Promise<RecurringSale> {
  return withCharges(api, { payment, sale, subscription: await findSubscription(api, payment) })
}

/** One after the other: the charges must not be older than the subscription, see `snapshotOfSubscription`. */
async function withCharges(api: MollieApi, sale: Omit<RecurringSale, 'charges'>): Promise<RecurringSale> {
  return { ...sale, charges: sale.subscription ? await readCharges(api, sale.subscription) : [] }
}

/** A subscription that cannot be charged might come to life again with a new mandate, after it has ended here. */
async function endedIfOver(api: MollieApi, standing: RecurringSale, now: Date): Promise<Found> {
  const found = snapshotOfSubscription(standing, now)
  const { subscription } = standing
  if (found?.purchase.status !== 'canceled' || !subscription || hasEnded(subscription)) return found
  return snapshotOfSubscription({ ...standing, subscription: await endSubscription(api, subscription) }, now)
}
