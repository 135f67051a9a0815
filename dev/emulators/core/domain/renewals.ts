import { nextPeriodEnd } from '../periods.ts'
import type { AccountContext } from './context.ts'
import { collectInvoice, latestInvoice, newInvoice, owedInvoices, periodLine } from './invoices.ts'
import type { InvoiceRecord } from './money-records.ts'
import { reportDelayedPayment } from './pages.ts'
import type { PricedLine, SubscriptionRecord } from './selling-records.ts'
import { change, endSubscription, hasEnded, type OwedAtEnd, refuseEnded } from './subscriptions.ts'

/** Periods begin even if earlier ones are unpaid, so several invoices may be owed at once. */
export interface DebtRules {
  /** What must be paid before a past due subscription is active again: its latest invoice, or all open ones. */
  recoversBy: 'latest' | 'all'
  owedAtEnd?: OwedAtEnd
}

/** Advances a subscription by one period. */
export function beginNextPeriod(subscription: SubscriptionRecord): void {
  delete subscription.changedTerms
  subscription.periodStart = subscription.periodEnd
  subscription.periodEnd = nextPeriodEnd(subscription.periodEnd, subscription.price, subscription.anchor)
}

function applySchedule(subscription: SubscriptionRecord): void {
  if (subscription.scheduled === null) return
  Object.assign(subscription, subscription.scheduled, { scheduled: null })
}

/**
 * Ends the current period or trial, whatever the clock says. A subscription whose end is scheduled ends, and so does a trial without a
 * payment method. Any other begins its next period `active`, with a draft invoice, because processors charge it a while later. With an
 * unpaid earlier period it keeps its status.
 */
export function rollOver(
  context: AccountContext,
  subscription: SubscriptionRecord,
  rules: DebtRules,
): SubscriptionRecord {
  refuseEnded(context, subscription)
  const { cancelAt, periodEnd, status, hasCard } = subscription
  const endsWithTrial = status === 'trialing' && !hasCard
  if (endsWithTrial || (cancelAt !== null && cancelAt <= periodEnd)) {
    return endSubscription(context, subscription, { at: periodEnd, owedAtEnd: rules.owedAtEnd })
  }

  return change(context, subscription, () => {
    if (status === 'trialing') {
      subscription.trialEnd = Math.min(periodEnd, context.now)
      subscription.paidFrom = periodEnd
    }
    beginPeriod(context, subscription)
  })
}

/** Begins the next period with its invoice. Call it within `change`. */
export function beginPeriod(context: AccountContext, subscription: SubscriptionRecord): void {
  applySchedule(subscription)
  beginNextPeriod(subscription)
  if (owedInvoices(context, subscription).length === 0) subscription.status = 'active'
  billCycle(context, subscription, [periodLine(subscription)])
}

/**
 * Creates the invoice of a period, including pending lines of earlier price changes. These are invoiced even if the subscription
 * has ended and there is no next period.
 */
export function billCycle(context: AccountContext, subscription: SubscriptionRecord, period: PricedLine[] = []): void {
  const { seller, email } = latestInvoice(context, subscription)
  const lines = [...subscription.pendingLines, ...period]
  subscription.pendingLines = []
  newInvoice(context, subscription, { seller, email, lines, reason: 'cycle', status: 'draft' })
}

/**
 * Charges the latest invoice if it is unpaid: after a roll-over, a failed charge, or a page with a pending payment. If it is
 * paid, rolls over first and charges the invoice of the new period.
 */
export function renewSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  succeeds: boolean,
  rules: DebtRules,
): SubscriptionRecord {
  refuseEnded(context, subscription)
  const invoice = invoiceToCharge(context, subscription, rules)
  return invoice ? collect(context, subscription, invoice, succeeds, rules) : subscription
}

/** The latest invoice, or that of the next period if it is paid; null if the subscription ends with this period. */
export function invoiceToCharge(
  context: AccountContext,
  subscription: SubscriptionRecord,
  rules: DebtRules,
): InvoiceRecord | null {
  const { status } = latestInvoice(context, subscription)
  if (status === 'paid' || status === 'void') rollOver(context, subscription, rules)
  return hasEnded(subscription) ? null : latestInvoice(context, subscription)
}

/** Charges an invoice of a subscription. After the subscription's end the outcome does not change it. */
export function collect(
  context: AccountContext,
  subscription: SubscriptionRecord,
  invoice: InvoiceRecord,
  succeeds: boolean,
  { recoversBy }: DebtRules,
): SubscriptionRecord {
  return change(context, subscription, () => {
    collectInvoice(context, invoice, succeeds)
    if (hasEnded(subscription)) return
    const isLatest = invoice.id === subscription.latestInvoice
    if (invoice.status !== 'paid') {
      if (subscription.status === 'active' && (isLatest || recoversBy === 'all')) subscription.status = 'past_due'
      return
    }
    const isOwed = owedInvoices(context, subscription).some(({ status }) => status === 'open')
    if (recoversBy === 'latest' ? isLatest : !isOwed) subscription.status = 'active'
    reportDelayedPayment(context, subscription.id, true)
  })
}

/**
 * Makes a past due subscription `unpaid` until `renewSubscription` collects the money, in accounts that keep such subscriptions.
 */
export function markUnpaid(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (subscription.status !== 'past_due') throw context.refuse(`Subscription ${subscription.id} is not past due.`)
  return change(context, subscription, () => {
    subscription.status = 'unpaid'
  })
}
