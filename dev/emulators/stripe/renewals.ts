import { nextPeriodEnd } from '../core/periods.ts'
import { type AccountContext, find } from './account-context.ts'
import { reportDelayedPayment } from './delayed-payments.ts'
import { invalidRequest } from './errors.ts'
import { collectInvoice, newInvoice } from './invoices.ts'
import type { InvoiceRecord, SubscriptionRecord } from './records.ts'
import { change, endSubscription, findRunning } from './subscriptions.ts'

/**
 * Ends the current period, whatever the clock says. A subscription whose end is scheduled ends. Any other begins its
 * next period `active`, with an invoice that is still a draft, because Stripe charges it about an hour later.
 */
export function rollOver(context: AccountContext, id: string): SubscriptionRecord {
  const subscription = findRunning(context, id)
  const last = latestInvoice(context, subscription)
  if (last.status !== 'paid') throw invalidRequest(`Subscription ${id} has an unpaid invoice, ${last.id}.`)
  if (subscription.cancelAt !== null) return endSubscription(context, subscription, subscription.periodEnd)

  return change(context, subscription, 'customer.subscription.updated', () => {
    subscription.periodStart = subscription.periodEnd
    subscription.periodEnd = nextPeriodEnd(subscription.periodEnd, subscription.price, subscription.anchor)
    subscription.status = 'active'
    const { seller, email } = last
    const amount = subscription.price.amount * subscription.quantity
    newInvoice(context, { subscription, seller, email, reason: 'subscription_cycle', status: 'draft', amount })
  })
}

/**
 * Charges the latest invoice if it is unpaid: after a roll-over, after a failed charge, or after a session that was
 * completed before its money arrived. If it is paid, rolls over first and charges the invoice of the new period.
 */
export function renewSubscription(context: AccountContext, id: string, succeeds: boolean): SubscriptionRecord {
  const running = findRunning(context, id)
  const isOwed = latestInvoice(context, running).status !== 'paid'
  const subscription = isOwed ? running : rollOver(context, id)
  if (subscription.status === 'canceled') return subscription

  return change(context, subscription, 'customer.subscription.updated', () => {
    const invoice = latestInvoice(context, subscription)
    collectInvoice(context, invoice, succeeds)
    if (invoice.status === 'paid') {
      subscription.status = 'active'
      reportDelayedPayment(context, id, 'succeeded')
    } else if (subscription.status === 'active') subscription.status = 'past_due'
  })
}

/**
 * No charge of a past due subscription went through, and the account is set to keep such a subscription: it is `unpaid`
 * until `renewSubscription` collects the money.
 */
export function markUnpaid(context: AccountContext, id: string): SubscriptionRecord {
  const subscription = findRunning(context, id)
  if (subscription.status !== 'past_due') throw invalidRequest(`Subscription ${id} is not past due.`)
  return change(context, subscription, 'customer.subscription.updated', () => {
    subscription.status = 'unpaid'
  })
}

const latestInvoice = (context: AccountContext, { latestInvoice: id }: SubscriptionRecord): InvoiceRecord =>
  find(context, context.records.invoices, 'invoice', id)
