// Translates Mollie's objects to a purchase: from a one-time payment, or from a first payment with its subscription and its charges, in
// this order: does it renew, when does its period end, is it paid, what is its status. The pending action at Mollie follows from that.
// Nothing is fetched here.
import type { Decision, Found } from '../adapter.ts'
import { daysLater } from '../later.ts'
import { ONE_TIME, type PaymentFact, type PurchaseStatus, type ScheduledChange } from '../processor.ts'
import { amsterdamDate, chargeAfter, firstChargeDate, readInterval } from './dates.ts'
import { chargeFacts, saleFacts } from './facts.ts'
import {
  type FirstSale,
  isChargedBack,
  isGivenBack,
  type Payment,
  readRenewal,
  Sale,
  type Subscription,
  type Terms,
} from './objects.ts'
import {
  changeInPeriod,
  chargedTerms,
  coversPlan,
  findUnsettled,
  isSameTerms,
  isSettled,
  type Move,
  moveCharges,
  nextTerms,
  overwrittenTerms,
  type Plan,
  readChange,
  readPlan,
  soldPlan,
  toUnitAmount,
} from './plan.ts'

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
  /** The payments of differences, by which plans are changed, latest first. */
  differences: Payment[]
}

export type MollieTodo =
  | { do: 'create the subscription'; payment: Payment; sale: FirstSale }
  | { do: 'end the subscription'; subscription: Subscription }
  | { do: 'change the plan'; subscription: Subscription; difference: Payment; move: Move }
  | { do: 'refund the difference'; difference: Payment }
  | { do: 'set the interval'; subscription: Subscription; interval: string; countsFrom: Date }
  | { do: 'end the reduction'; subscription: Subscription; terms: Terms }

interface RecurringSale {
  payment: Payment
  sale: FirstSale
  /** Null if it is not created yet, or Mollie refused to create it. */
  subscription: Subscription | null
  plan: Plan
  charges: Payment[]
  differences: Payment[]
}

/**
 * Decides the purchase, and what Mollie does not do by itself: create its subscription, change its plan, and end subscriptions that must
 * not charge.
 */
export function decideSale(observed: ObservedSale, now: Date): Decision<MollieTodo> {
  const { isPage, payment, sale, subscriptions, charges } = observed
  const isOpen = payment.status === 'open'
  // An open payment counts as undecided, because it may be paid between two reads.
  const isUndecided = isOpen || mayBeSold(payment)
  const payments = saleFacts(payment, charges)
  // The page of an open payment may be one that nobody has paid.
  if (isOpen || (isPage && !mayBeSold(payment))) return { found: null, isUndecided, todo: null }
  if (payment.sequenceType !== 'first') return { found: paymentSnapshot(payment), isUndecided, todo: null, payments }
  if (!sale) return { found: null, isUndecided: false, todo: null }

  const recurring = toRecurring(observed, sale)
  const found = subscriptionSnapshot(recurring, now)
  const extra = subscriptions.slice(1).find((other) => !hasEnded(other))
  const pending = extra ? end(extra) : nextTodo(recurring, found, now)
  const todo = payment.status === 'paid' ? pending : null
  // A purchase without a subscription is read as if it had the one that is to be created, and one with a paid difference as before it.
  const mayActLater = todo !== null && CAN_WAIT.has(todo.do)
  return { found, isUndecided, todo, mayActLater, payments: [...payments, ...differenceFacts(recurring, found)] }
}

const CAN_WAIT: ReadonlySet<MollieTodo['do']> = new Set([
  'create the subscription',
  'change the plan',
  'set the interval',
  'end the reduction',
])

function toRecurring({ payment, subscriptions, charges, differences }: ObservedSale, sale: FirstSale): RecurringSale {
  const [subscription = null] = subscriptions
  const plan = subscription ? readPlan(subscription, charges) : soldPlan(sale)
  return { payment, sale, subscription, plan, charges, differences }
}

function nextTodo(recurring: RecurringSale, found: Found, now: Date): MollieTodo | null {
  const { payment, sale, subscription, plan, charges } = recurring
  if (subscription) {
    // Either the buyer cancelled while another call was creating the subscription, or the purchase is over, and the subscription must end,
    // too: a suspended one could charge again after a new mandate.
    const isUnwanted = sale.canceled_at !== undefined || found.purchase.status === 'canceled'
    if (isUnwanted && !hasEnded(subscription)) return end(subscription)
    return (
      restore(subscription, charges) ??
      settle(recurring, subscription, found) ??
      setInterval(subscription, plan, charges) ??
      endReduction(subscription, plan, charges)
    )
  }
  const isOver = firstChargeDate(payment, sale) <= now
  if (sale.canceled_at || isGivenBack(payment) || isOver) return null
  return { do: 'create the subscription', payment, sale }
}

/** A difference that was paid changes the plan for which it was calculated. If that is gone, the payment is returned. */
function settle(recurring: RecurringSale, subscription: Subscription, found: Found): MollieTodo | null {
  const difference = findUnsettled(subscription, recurring.differences)
  if (!difference) return null
  if (!isApplicable(recurring, subscription, difference, found)) return { do: 'refund the difference', difference }
  const { from, to } = readChange(difference)
  const move = moveCharges({ ...recurring, subscription }, from, to)
  return { do: 'change the plan', subscription, difference, move }
}

/** Whether a difference was paid for the present period of the present plan. */
function isApplicable(
  { plan }: RecurringSale,
  subscription: Subscription,
  difference: Payment,
  { purchase }: Found,
): boolean {
  const { from, period_start: start } = readChange(difference)
  return (
    !hasEnded(subscription) &&
    isSameTerms(from, plan.terms) &&
    start.getTime() === purchase.currentPeriodStart?.getTime()
  )
}

/** After the first charge of a scheduled change: Mollie counts the new interval from the last charge. */
function setInterval(
  subscription: Subscription,
  { intervalToSet: interval }: Plan,
  charges: Payment[],
): MollieTodo | null {
  const [charge] = charges
  if (interval === null || !charge || hasEnded(subscription)) return null
  return { do: 'set the interval', subscription, interval, countsFrom: amsterdamDate(charge.createdAt) }
}

/** After the end of an offer has overwritten a change of plan. Mollie changes no suspended subscription. */
function restore(subscription: Subscription, charges: Payment[]): MollieTodo | null {
  const terms = subscription.status === 'active' ? overwrittenTerms(subscription, charges) : null
  return terms && { do: 'end the reduction', subscription, terms }
}

/** After the last charge that an offer reduces. */
function endReduction(subscription: Subscription, plan: Plan, charges: Payment[]): MollieTodo | null {
  const terms = nextTerms(plan, charges)
  const isOver = plan.reduction !== null && plan.scheduled === null && subscription.status === 'active'
  return isOver && !isSameTerms(chargedTerms(subscription), terms)
    ? { do: 'end the reduction', subscription, terms }
    : null
}

/** The facts of the differences. One that is about to change the plan is reported afterwards, so that it names the new price. */
function differenceFacts(recurring: RecurringSale, found: Found): PaymentFact[] {
  const { subscription, differences } = recurring
  if (!subscription) return []
  const isSpent = (difference: Payment) => difference.status !== 'paid' || isSettled(subscription, difference)
  const isLate = (difference: Payment) =>
    !isSpent(difference) && (isGivenBack(difference) || !isApplicable(recurring, subscription, difference, found))
  return [
    ...chargeFacts(differences.filter(isSpent)),
    ...chargeFacts(differences.filter(isLate)).map((fact) => ({ ...fact, broughtNothing: true })),
  ]
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
  const { payment, sale, subscription, plan, charges } = recurring
  const begunAt = payment.paidAt ?? payment.createdAt
  const terms = readInterval(plan.terms.interval, sale)
  const canceledAt = subscription?.canceledAt ?? sale.canceled_at ?? null
  const renews = subscription ? !hasEnded(subscription) : canceledAt === null
  // Without renewal the period is the last one that was paid for: a failed charge bought nothing.
  const charge = renews ? charges[0] : charges.find((each) => !isFailed(each))
  const start = charge ? amsterdamDate(charge.createdAt) : begunAt
  const isOnTrial = sale.trial_days > 0 && !charge
  const changed = subscription && !isOnTrial ? changeInPeriod(subscription, plan, start) : null
  const nextCharge = nextChargeDate(recurring, charge, changed !== null)
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
      priceCovered:
        isOnTrial ||
        coversPlan(plan, charge ?? payment) ||
        (changed !== null && isDifferencePaid(recurring, changed.payment)),
      changedInPeriod: changed !== null,
      scheduledChange: renews ? scheduledChange(plan, sale, end) : null,
      versions: {},
      customer: payment.customerId ?? null,
      buyerEmail: null,
      status: begun ? toStatus(recurring, end <= now) : paymentStatus(payment),
      begun,
      periodCovered: begun && (!charge || (charge.status === 'paid' && !isChargedBack(charge))),
      interval: terms.interval,
      intervalCount: terms.interval_count,
      unitAmount: toUnitAmount(plan.terms),
      quantity: plan.terms.quantity,
      currency: plan.terms.currency,
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

/** The date of the charge after `charge`, which Mollie does not show once a subscription has ended. */
function nextChargeDate(
  { payment, sale, subscription, plan }: RecurringSale,
  charge: Payment | undefined,
  isChanged: boolean,
): Date {
  const startDate = subscription?.startDate ?? firstChargeDate(payment, sale)
  if (!charge) return startDate
  const date = amsterdamDate(charge.createdAt)
  const terms = readInterval(plan.terms.interval, sale)
  // A charge at the sold price, before a change of plan by the owner at Mollie, paid for the interval that was sold.
  const isSoldPrice = coversPlan(soldPlan(sale), charge) && !coversPlan(plan, charge)
  const paidTerms = isSoldPrice && !isChanged ? sale : terms
  const countedFrom = subscription && readRenewal(subscription.metadata)?.counted_from
  const rhythm = {
    startDate: countedFrom ?? startDate,
    interval: paidTerms.interval,
    intervalCount: paidTerms.interval_count,
  }
  return chargeAfter(rhythm, date)
}

/** Without a payment nothing was due. A payment that Mollie no longer lists was not returned lately. */
function isDifferencePaid({ differences }: RecurringSale, id: string | undefined): boolean {
  const difference = differences.find((each) => each.id === id)
  return difference === undefined || (difference.status === 'paid' && !isGivenBack(difference))
}

/** Mollie has no names for prices, so the change is described by what it charges. */
function scheduledChange({ scheduled }: Plan, sale: FirstSale, at: Date): ScheduledChange | null {
  if (!scheduled) return null
  const { currency, quantity } = scheduled.to
  const { interval, interval_count: intervalCount } = readInterval(scheduled.to.interval, sale)
  return {
    processorPrice: null,
    quantity,
    at,
    charge: { unitAmount: toUnitAmount(scheduled.to), currency, interval, intervalCount },
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
