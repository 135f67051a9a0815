import { nextPeriodEnd } from '../periods.ts'
import type { AccountContext } from './context.ts'
import { collectInvoice, latestInvoice, newInvoice, periodLine } from './invoices.ts'
import { reportDelayedPayment } from './pages.ts'
import type { SubscriptionRecord } from './selling-records.ts'
import { change, endSubscription, refuseEnded } from './subscriptions.ts'

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
 * goes on although an earlier period was never paid keeps its status.
 */
export function rollOver(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  refuseEnded(context, subscription)
  const { id, cancelAt, periodEnd } = subscription
  const { seller, email, status, isGivenUp, id: invoiceId } = latestInvoice(context, subscription)
  const isOwed = status !== 'paid' && status !== 'void'
  if (isOwed && !isGivenUp && subscription.status !== 'unpaid')
    throw context.refuse(`Subscription ${id} has an unpaid invoice, ${invoiceId}.`)
  if (cancelAt !== null && cancelAt <= periodEnd) return endSubscription(context, subscription, periodEnd)

  return change(context, subscription, () => {
    if (subscription.status === 'trialing') subscription.trialEnd = Math.min(periodEnd, context.now)
    applySchedule(subscription)
    beginNextPeriod(subscription)
    if (!isOwed) subscription.status = 'active'
    const lines = [...subscription.pendingLines, periodLine(subscription)]
    subscription.pendingLines = []
    newInvoice(context, subscription, { seller, email, lines, reason: 'cycle', status: 'draft' })
  })
}

/**
 * Charges the latest invoice if it is unpaid: after a roll-over, after a failed charge, or after a page that was
 * completed before its money arrived. If it is paid, rolls over first and charges the invoice of the new period.
 */
export function renewSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  succeeds: boolean,
): SubscriptionRecord {
  refuseEnded(context, subscription)
  if (latestInvoice(context, subscription).status === 'paid') rollOver(context, subscription)
  if (subscription.status === 'canceled') return subscription

  return change(context, subscription, () => {
    const invoice = latestInvoice(context, subscription)
    collectInvoice(context, invoice, succeeds)
    if (invoice.status === 'paid') {
      subscription.status = 'active'
      reportDelayedPayment(context, subscription.id, true)
    } else if (subscription.status === 'active') subscription.status = 'past_due'
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
