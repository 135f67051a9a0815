import type { Cancellation, PurchaseSnapshot, PurchaseStatus } from '../processor.ts'
import { type Payment, RecurringSale, Sale, type Subscription } from './objects.ts'
import { daysLater, periodOfCharge } from './periods.ts'

export type Found = { paywallId: string; purchase: PurchaseSnapshot } | null

/**
 * A subscription, and its charges so far, the latest first. Mollie has no word for what the seller owes the buyer: a
 * subscription that was cancelled is over there at once, and what was paid for is counted here. A period ends with the
 * day of the next charge, since Mollie does not say at which hour it charges.
 *
 * The charges are to be read after the subscription. One that was made in between is told by its date, which is what the
 * subscription calls its next.
 */
export function snapshotOfSubscription(subscription: Subscription, charges: Payment[], now: Date): Found {
  const sale = RecurringSale.safeParse(subscription.metadata)
  if (!sale.success) return null

  const { createdAt: begunAt } = subscription
  const { checkout_id, paywall_id, interval, interval_count: intervalCount, trial_days } = sale.data
  const renews = subscription.status !== 'canceled' && subscription.status !== 'completed'
  // Once it does not renew, only what was paid for counts: a charge that failed bought nothing.
  const charge = renews ? charges[0] : charges.find((each) => !isFailed(each))
  const period = charge
    ? periodOfCharge({ ...subscription, interval, intervalCount }, charge.createdAt)
    : { start: begunAt, nextCharge: subscription.startDate }
  const { nextPaymentDate } = subscription
  const isNext = renews && nextPaymentDate && nextPaymentDate > period.start
  const end = daysLater(isNext ? nextPaymentDate : period.nextCharge, 1)
  const onTrial = trial_days > 0 && charges.length === 0
  return {
    paywallId: paywall_id,
    purchase: {
      processorId: subscription.id,
      checkoutId: checkout_id,
      customer: subscription.customerId,
      status: statusOf(subscription, charges[0], { onTrial, isOver: end <= now }),
      begun: true,
      periodPaid: !charge || charge.status === 'paid',
      interval,
      intervalCount,
      unitAmount: subscription.amount.amount,
      currency: subscription.amount.currency,
      currentPeriodStart: period.start,
      currentPeriodEnd: end,
      trialStart: trial_days > 0 ? begunAt : null,
      trialEnd: trial_days > 0 ? daysLater(begunAt, trial_days) : null,
      cancelAtPeriodEnd: !renews,
      cancelAt: renews ? null : end,
      canceledAt: subscription.canceledAt ?? null,
    },
  }
}

/** A one-time purchase. */
export function snapshotOfPayment(payment: Payment): Found {
  const sale = Sale.safeParse(payment.metadata)
  if (!sale.success) return null
  const status = paymentStatus(payment)
  const paid = status === 'active' || status === 'refunded'
  return {
    paywallId: sale.data.paywall_id,
    purchase: {
      processorId: payment.id,
      checkoutId: sale.data.checkout_id,
      customer: payment.customerId ?? null,
      status,
      begun: paid,
      periodPaid: paid,
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

export function cancellationOf({ status, cancelAt, canceledAt }: PurchaseSnapshot): Cancellation {
  return { status, cancelAt, canceledAt }
}

function statusOf(
  { status }: Subscription,
  lastCharge: Payment | undefined,
  { onTrial, isOver }: { onTrial: boolean; isOver: boolean },
): PurchaseStatus {
  const running = onTrial ? 'trialing' : 'active'
  switch (status) {
    case 'canceled':
    case 'completed':
      return isOver ? 'canceled' : running
    // The customer's mandate is not good any more: nothing can be charged.
    case 'suspended':
      return isOver ? 'canceled' : 'past_due'
    // `pending`: the mandate is still being made. What was paid first is paid.
    case 'pending':
    case 'active':
      return lastCharge && isFailed(lastCharge) ? 'past_due' : running
  }
}

function paymentStatus({ status, amount, amountRefunded }: Payment): PurchaseStatus {
  switch (status) {
    case 'paid':
      return amountRefunded && amountRefunded.amount >= amount.amount ? 'refunded' : 'active'
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

const isFailed = ({ status }: Payment) => status === 'failed' || status === 'canceled' || status === 'expired'
