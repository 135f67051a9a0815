// How Mollie's objects become a purchase: from a one-time payment, or from a first payment with its subscription and
// its charges, in this order: does it renew, when does its period end, is it paid, what is its status. Nothing is
// fetched here.
import type { PurchaseSnapshot, PurchaseStatus } from '../processor.ts'
import { chargeAfter, dateOf, daysLater } from './dates.ts'
import { Amount, type FirstSale, type Payment, Sale, type Subscription } from './objects.ts'
import { firstChargeOf, hasEnded } from './subscriptions.ts'

export type Found = { paywallId: string; purchase: PurchaseSnapshot } | null

/** All that Mollie has of a purchase that renews. */
export interface RecurringSale {
  /** The first payment: its id is the purchase's `processorId`. */
  payment: Payment
  sale: FirstSale
  /** Null if it is not made, or Mollie refused to make it. */
  subscription: Subscription | null
  /** The latest first. */
  charges: Payment[]
}

/**
 * A purchase that renews, at this moment. At Mollie a cancelled subscription ends at once, so the end of the period
 * that the buyer has paid for is computed here. A period lasts until the end of the day of the next charge, since
 * Mollie does not say at which hour it charges.
 *
 * The charges must be read after the subscription. A charge that is made between the two reads then has the date that
 * the subscription still calls its next payment date, and is recognised by it; read the other way round, it would be
 * missed.
 */
export function snapshotOfSubscription(recurring: RecurringSale, now: Date): Found {
  const { payment, sale, subscription, charges } = recurring
  const begunAt = payment.paidAt ?? payment.createdAt
  const startDate = subscription?.startDate ?? firstChargeOf(payment, sale)
  const rhythm = { startDate, interval: sale.interval, intervalCount: sale.interval_count }
  const canceledAt = subscription?.canceledAt ?? sale.canceled_at ?? null
  const renews = subscription ? !hasEnded(subscription) : canceledAt === null
  // Without renewal the period is the last one that was paid for: a charge that failed bought nothing.
  const charge = renews ? charges[0] : charges.find((each) => !isFailed(each))
  const start = charge ? dateOf(charge.createdAt) : begunAt
  const nextCharge = charge ? chargeAfter(rhythm, start) : startDate
  const next = subscription?.nextPaymentDate
  const end = daysLater(renews && next && next > start ? next : nextCharge, 1)
  const begun = payment.status === 'paid'
  const price = subscription?.amount ?? Amount.parse(sale.renewal)
  return {
    paywallId: sale.paywall_id,
    purchase: {
      processorId: payment.id,
      checkoutId: sale.checkout_id,
      customer: payment.customerId ?? null,
      buyerEmail: null,
      status: begun ? statusOf(recurring, end <= now) : paymentStatus(payment),
      begun,
      periodCovered: begun && (!charge || charge.status === 'paid'),
      interval: sale.interval,
      intervalCount: sale.interval_count,
      unitAmount: price.amount,
      currency: price.currency,
      currentPeriodStart: begun ? start : null,
      currentPeriodEnd: begun ? end : null,
      trialStart: begun && sale.trial_days > 0 ? begunAt : null,
      trialEnd: begun && sale.trial_days > 0 ? daysLater(begunAt, sale.trial_days) : null,
      cancelAtPeriodEnd: begun && !renews,
      cancelAt: begun && !renews ? end : null,
      canceledAt,
    },
  }
}

/** A one-time purchase. */
export function snapshotOfPayment(payment: Payment): Found {
  const sale = Sale.safeParse(payment.metadata)
  if (!sale.success) return null
  const status = paymentStatus(payment)
  const isPaid = status === 'active' || status === 'refunded'
  return {
    paywallId: sale.data.paywall_id,
    purchase: {
      processorId: payment.id,
      checkoutId: sale.data.checkout_id,
      customer: payment.customerId ?? null,
      buyerEmail: null,
      status,
      begun: isPaid,
      periodCovered: isPaid,
      interval: null,
      intervalCount: null,
      unitAmount: payment.amount.amount,
      currency: payment.amount.currency,
      currentPeriodStart: null,
      currentPeriodEnd: null,
      trialStart: null,
      trialEnd: null,
      cancelAtPeriodEnd: false,
      cancelAt: null,
      canceledAt: null,
    },
  }
}

/** Whether all the money went back to the buyer. */
export function isGivenBack({ amount, amountRefunded, amountChargedBack }: Payment): boolean {
  const back = (amountRefunded?.amount ?? 0) + (amountChargedBack?.amount ?? 0)
  return amount.amount > 0 && back >= amount.amount
}

function statusOf({ payment, sale, subscription, charges }: RecurringSale, isOver: boolean): PurchaseStatus {
  const decided = charges.find(({ status }) => status === 'paid' || status === 'authorized' || isFailed({ status }))
  const isOwed = decided !== undefined && isFailed(decided)
  const running = sale.trial_days > 0 && charges.length === 0 ? 'trialing' : 'active'
  switch (subscription?.status) {
    case undefined:
      return isOver || isGivenBack(payment) ? 'canceled' : running
    case 'canceled':
    case 'completed':
      return isOver ? 'canceled' : running
    // The customer's mandate is invalid, so nothing can be charged. The buyer keeps the period that is paid for.
    case 'suspended':
      return isOver ? 'canceled' : isOwed ? 'past_due' : running
    // `pending`: the mandate is not valid yet. After a failed charge, one that is not decided yet makes up for nothing.
    case 'pending':
    case 'active':
      return isOwed ? 'past_due' : running
  }
}

function paymentStatus(payment: Payment): PurchaseStatus {
  switch (payment.status) {
    case 'paid':
      return isGivenBack(payment) ? 'refunded' : 'active'
    case 'open':
    case 'pending':
    case 'authorized':
      return 'pending'
    case 'canceled':
    case 'expired':
    case 'failed':
      return 'canceled'
  }
}

const isFailed = ({ status }: Pick<Payment, 'status'>) =>
  status === 'failed' || status === 'canceled' || status === 'expired'
