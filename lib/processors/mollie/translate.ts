// Translates Mollie's objects to a purchase: from a one-time payment, or from a first payment with its subscription and its charges, in
// this order: does it renew, when does its period end, is it paid, what is its status. The pending action at Mollie follows from that.
// Nothing is fetched here.
import type { Decision, Found } from '../adapter.ts'
import { daysLater } from '../later.ts'
import { ONE_TIME, type PurchaseStatus } from '../processor.ts'
import { parse } from './api.ts'
import { amsterdamDate, chargeAfter, firstChargeDate, readInterval } from './dates.ts'
import { saleFacts } from './facts.ts'
import { Amount, type FirstSale, isChargedBack, type Payment, Sale, type Subscription } from './objects.ts'

/** Everything that Mollie has about a sale. */
export interface ObservedSale {
  /** Whether it was looked up as a hosted page, which may have sold nothing. A stored purchase stays a purchase in any case. */
  isPage: boolean
  /** The first payment, or the only one: its id is the purchase's `processorId`. */
  payment: Payment
  /** The sale, if it renews and is one of ours. */
  sale: FirstSale | null
  /** The subscriptions of this sale, oldest first. The oldest counts: others were created by concurrent callers. */
  subscriptions: Subscription[]
  /** The charges of the oldest subscription, latest first. */
  charges: Payment[]
}

export type MollieTodo =
  | { do: 'create the subscription'; payment: Payment; sale: FirstSale }
  | { do: 'end the subscription'; subscription: Subscription }

interface RecurringSale {
  payment: Payment
  sale: FirstSale
  /** Null if it is not created yet, or Mollie refused to create it. */
  subscription: Subscription | null
  charges: Payment[]
}

/** Decides the purchase, and what Mollie does not do by itself: create its subscription, and end those that must not charge. */
export function decideSale(
  { isPage, payment, sale, subscriptions, charges }: ObservedSale,
  now: Date,
): Decision<MollieTodo> {
  const isOpen = payment.status === 'open'
  // An open payment counts as undecided, because it may be paid between two reads.
  const isUndecided = isOpen || mayBeSold(payment)
  const payments = saleFacts(payment, charges)
  // The page of an open payment may be one that nobody has paid.
  if (isOpen || (isPage && !mayBeSold(payment))) return { found: null, isUndecided, todo: null }
  if (payment.sequenceType !== 'first') return { found: paymentSnapshot(payment), isUndecided, todo: null, payments }
  if (!sale) return { found: null, isUndecided: false, todo: null }

  const [subscription = null, ...others] = subscriptions
  const recurring = { payment, sale, subscription, charges }
  const found = subscriptionSnapshot(recurring, now)
  const extra = others.find((other) => !hasEnded(other))
  const pending = extra ? end(extra) : nextTodo(recurring, found, now)
  const todo = payment.status === 'paid' ? pending : null
  // A purchase without a subscription is read as if it had the one that is to be created.
  return { found, isUndecided, todo, mayActLater: todo?.do === 'create the subscription', payments }
}

function nextTodo({ payment, sale, subscription }: RecurringSale, found: Found, now: Date): MollieTodo | null {
  if (subscription) {
    // Either the buyer cancelled while another call was creating the subscription, or the purchase is over, and the subscription must end,
    // too: a suspended one could charge again after a new mandate.
    const isUnwanted = sale.canceled_at !== undefined || found.purchase.status === 'canceled'
    return isUnwanted && !hasEnded(subscription) ? end(subscription) : null
  }
  const isOver = firstChargeDate(payment, sale) <= now
  if (sale.canceled_at || isGivenBack(payment) || isOver) return null
  return { do: 'create the subscription', payment, sale }
}

const end = (subscription: Subscription): MollieTodo => ({ do: 'end the subscription', subscription })

/** Whether a payment is paid, or may be soon: the bank has not decided yet. */
const mayBeSold = ({ status }: Payment) => status === 'paid' || status === 'pending' || status === 'authorized'

/**
 * The snapshot of a recurring purchase. At Mollie a cancelled subscription ends at once, so the end of the paid period is computed here. A
 * period lasts until the day of the next charge. Mollie does not document at which hour it charges: the rules of access make sure that
 * nobody is locked out before that.
 *
 * The charges must be read after the subscription. A charge that is made between the two reads then has the date that the subscription
 * still shows as its next payment date, and is recognised by it; in the reverse order it would be missed.
 */
function subscriptionSnapshot(recurring: RecurringSale, now: Date): Found {
  const { payment, sale, subscription, charges } = recurring
  const begunAt = payment.paidAt ?? payment.createdAt
  const startDate = subscription?.startDate ?? firstChargeDate(payment, sale)
  const terms = subscription ? readInterval(subscription.interval, sale) : sale
  const canceledAt = subscription?.canceledAt ?? sale.canceled_at ?? null
  const renews = subscription ? !hasEnded(subscription) : canceledAt === null
  // Without renewal the period is the last one that was paid for: a failed charge bought nothing.
  const charge = renews ? charges[0] : charges.find((each) => !isFailed(each))
  const start = charge ? amsterdamDate(charge.createdAt) : begunAt
  const renewal = parse(Amount, sale.renewal)
  const price = subscription?.amount ?? renewal
  // A charge at the sold price, before a change of plan, paid for the interval that was sold.
  const paidTerms = charge && isSame(charge.amount, renewal) && !isSame(charge.amount, price) ? sale : terms
  const rhythm = { startDate, interval: paidTerms.interval, intervalCount: paidTerms.interval_count }
  const nextCharge = charge ? chargeAfter(rhythm, start) : startDate
  const next = subscription?.nextPaymentDate
  const end = renews && next && next > start ? next : nextCharge
  const begun = payment.status === 'paid'
  return {
    paywallId: sale.paywall_id,
    purchase: {
      processorId: payment.id,
      checkoutId: sale.checkout_id,
      processorPrice: null,
      startedAt: begunAt,
      charged: begun ? payment.amount.amount : null,
      priceCovered: (sale.trial_days > 0 && !charge) || isSame((charge ?? payment).amount, price),
      changedInPeriod: false,
      scheduledChange: null,
      versions: {},
      customer: payment.customerId ?? null,
      buyerEmail: null,
      status: begun ? toStatus(recurring, end <= now) : paymentStatus(payment),
      begun,
      periodCovered: begun && (!charge || (charge.status === 'paid' && !isChargedBack(charge))),
      interval: terms.interval,
      intervalCount: terms.interval_count,
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
function paymentSnapshot(payment: Payment): Found | null {
  const sale = Sale.safeParse(payment.metadata)
  if (!sale.success) return null
  const status = paymentStatus(payment)
  const isPaid = status === 'active' || status === 'refunded'
  return {
    paywallId: sale.data.paywall_id,
    purchase: {
      processorId: payment.id,
      checkoutId: sale.data.checkout_id,
      processorPrice: null,
      startedAt: payment.paidAt ?? payment.createdAt,
      charged: isPaid ? payment.amount.amount : null,
      priceCovered: true,
      changedInPeriod: false,
      versions: {},
      customer: payment.customerId ?? null,
      buyerEmail: null,
      status,
      begun: isPaid,
      periodCovered: isPaid,
      ...ONE_TIME,
      unitAmount: payment.amount.amount,
      currency: payment.amount.currency,
    },
  }
}

export const hasEnded = ({ status }: Subscription) => status === 'canceled' || status === 'completed'

const isSame = (one: Payment['amount'], other: Payment['amount']) =>
  one.amount === other.amount && one.currency === other.currency

/** Whether the payment was returned to the buyer entirely. */
function isGivenBack({ amount, amountRefunded, amountChargedBack }: Payment): boolean {
  const back = (amountRefunded?.amount ?? 0) + (amountChargedBack?.amount ?? 0)
  return amount.amount > 0 && back >= amount.amount
}

function toStatus({ payment, sale, subscription, charges }: RecurringSale, isOver: boolean): PurchaseStatus {
  const decided = charges.find((each) => isPaid(each) || isFailed(each))
  const isOwed = decided !== undefined && isFailed(decided)
  // Only a paid charge ends a trial: a failed charge bought nothing.
  const running = sale.trial_days > 0 && !charges.some(isPaid) ? 'trialing' : 'active'
  switch (subscription?.status) {
    case undefined:
      return isOver || isGivenBack(payment) ? 'canceled' : running
    case 'canceled':
    case 'completed':
      return isOver ? 'canceled' : running
    // The customer's mandate is invalid, so nothing can be charged. The buyer keeps the paid period.
    case 'suspended':
      return isOver ? 'canceled' : isOwed ? 'past_due' : running
    // `pending`: the mandate is not valid yet. After a failed charge, an undecided one does not count as payment.
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

const isPaid = (payment: Payment) =>
  (payment.status === 'paid' || payment.status === 'authorized') && !isChargedBack(payment)

/** A charge that bought nothing. */
const isFailed = (payment: Payment) =>
  payment.status === 'failed' || payment.status === 'canceled' || payment.status === 'expired' || isChargedBack(payment)
