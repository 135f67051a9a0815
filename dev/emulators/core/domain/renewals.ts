import { nextPeriodEnd } from '../periods.ts'
import type { AccountContext } from './context.ts'
import { collectInvoice, latestInvoice, newInvoice, owedInvoices, periodLine } from './invoices.ts'
import type { InvoiceRecord } from './money-records.ts'
import { reportDelayedPayment } from './pages.ts'
import type { PricedLine, SubscriptionRecord } from './selling-records.ts'
import { change, endSubscription, hasEnded, type OwedAtEnd, refuseEnded } from './subscriptions.ts'

/** Periods begin whether or not those before are paid, so several invoices may be owed at once. */
export interface DebtRules {
  /** What has to be paid for a subscription that is past due to be active again: its latest invoice, or all that are open. */
  recoversBy: 'latest' | 'all'
  owedAtEnd?: OwedAtEnd
}

/** Moves a subscription on by one period. */
export function beginNextPeriod(subscription: SubscriptionRecord): void {
  subscription.periodStart = subscription.periodEnd
  subscription.periodEnd = nextPeriodEnd(subscription.periodEnd, subscription.price, subscription.anchor)
}

function applySchedule(subscription: SubscriptionRecord): void {
  if (subscription.scheduled === null) return
  subscription.price = subscription.scheduled.price
  subscription.scheduled = null
}

/**
 * Ends the current period, and so a trial, whatever the clock says. A subscription whose end is scheduled ends. Any other
 * begins its next period `active`, with an invoice that is still a draft, because processors charge it a while later. One that
 * goes on although an earlier period was not paid keeps its status.
 */
export function rollOver(
  context: AccountContext,
  subscription: SubscriptionRecord,
  rules: DebtRules,
): SubscriptionRecord {
  refuseEnded(context, subscription)
  const { cancelAt, periodEnd, status } = subscription
  if (cancelAt !== null && cancelAt <= periodEnd) {
    return endSubscription(context, subscription, { at: periodEnd, owedAtEnd: rules.owedAtEnd })
  }

  return change(context, subscription, () => {
    if (status === 'trialing') subscription.trialEnd = Math.min(periodEnd, context.now)
    beginPeriod(context, subscription)
  })
}

/** Begins the next period, with its invoice. To be called within `change`. */
export function beginPeriod(context: AccountContext, subscription: SubscriptionRecord): void {
  applySchedule(subscription)
  beginNextPeriod(subscription)
  if (owedInvoices(context, subscription).length === 0) subscription.status = 'active'
  billCycle(context, subscription, [periodLine(subscription)])
}

/**
 * Makes the invoice of a period, with what earlier changes of price have left to be paid with it. That is charged also if the
 * subscription has ended, and there is no next period.
 */
export function billCycle(context: AccountContext, subscription: SubscriptionRecord, period: PricedLine[] = []): void {
  const { seller, email } = latestInvoice(context, subscription)
  const lines = [...subscription.pendingLines, ...period]
  subscription.pendingLines = []
  newInvoice(context, subscription, { seller, email, lines, reason: 'cycle', status: 'draft' })
}

/**
 * Charges the latest invoice if it is unpaid: after a roll-over, after a failed charge, or after a page that was
 * completed before its money arrived. If it is paid, rolls over first and charges the invoice of the new period.
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

/** The latest invoice, of the next period if nothing is owed; null if the subscription ends with this one. */
export function invoiceToCharge(
  context: AccountContext,
  subscription: SubscriptionRecord,
  rules: DebtRules,
): InvoiceRecord | null {
  const { status } = latestInvoice(context, subscription)
  if (status === 'paid' || status === 'void') rollOver(context, subscription, rules)
  return hasEnded(subscription) ? null : latestInvoice(context, subscription)
}

/** Charges an invoice of a subscription. What is paid after its end, or fails, does not change it. */
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
 * No charge of a past due subscription went through, and the account is set to keep such a subscription: it is `unpaid`
 * until `renewSubscription` collects the money.
 */
export function markUnpaid(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (subscription.status !== 'past_due') throw context.refuse(`Subscription ${subscription.id} is not past due.`)
  return change(context, subscription, () => {
    subscription.status = 'unpaid'
  })
}
