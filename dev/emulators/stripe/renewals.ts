import { nextPeriodEnd } from '../core/periods.ts'
import { find, type Ledger } from './account-context.ts'
import { settleLatePayment } from './delayed-payments.ts'
import { invalidRequest } from './errors.ts'
import { collectInvoice, newInvoice } from './invoices.ts'
import type { InvoiceRecord, SubscriptionRecord } from './records.ts'
import { change, endSubscription, findRunning } from './subscriptions.ts'

/**
 * The current period is over, whatever the clock says. A subscription with a scheduled end ends. Any other has its next
 * period at once, `active` and with a draft of an invoice: Stripe charges about an hour later.
 */
export function rollOver(ledger: Ledger, id: string): SubscriptionRecord {
  const subscription = findRunning(ledger, id)
  const last = latestInvoice(ledger, subscription)
  if (last.status !== 'paid') throw invalidRequest(`Subscription ${id} has an unpaid invoice, ${last.id}.`)
  if (subscription.cancelAt !== null) return endSubscription(ledger, subscription, subscription.periodEnd)

  return change(ledger, subscription, 'customer.subscription.updated', () => {
    subscription.periodStart = subscription.periodEnd
    subscription.periodEnd = nextPeriodEnd(subscription.periodEnd, subscription.price, subscription.anchor)
    subscription.status = 'active'
    const { seller, email } = last
    const amount = subscription.price.amount * subscription.quantity
    newInvoice(ledger, { subscription, seller, email, reason: 'subscription_cycle', status: 'draft', amount })
  })
}

/**
 * Tries to collect what is owed: the invoice of the next period, which begins now, or one that is unpaid since the last
 * roll-over or failure, or since a session that was completed without its money.
 */
export function renewSubscription(ledger: Ledger, id: string, succeeds: boolean): SubscriptionRecord {
  const running = findRunning(ledger, id)
  const owes = latestInvoice(ledger, running).status !== 'paid'
  const subscription = owes ? running : rollOver(ledger, id)
  if (subscription.status === 'canceled') return subscription

  return change(ledger, subscription, 'customer.subscription.updated', () => {
    const invoice = latestInvoice(ledger, subscription)
    collectInvoice(ledger, invoice, succeeds)
    if (invoice.status === 'paid') {
      subscription.status = 'active'
      settleLatePayment(ledger, id, 'succeeded')
    } else if (subscription.status !== 'incomplete') subscription.status = 'past_due'
  })
}

const latestInvoice = (ledger: Ledger, { latestInvoice: id }: SubscriptionRecord): InvoiceRecord =>
  find(ledger, ledger.records.invoices, 'invoice', id)
