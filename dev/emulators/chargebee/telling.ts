import { type AccountContext, find } from '../core/domain/context.ts'
import type { Happening } from '../core/domain/happenings.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import type { Telling } from '../core/processor.ts'
import type { ChargebeeAccount } from './accounts.ts'
import { type Bill, billOfInvoice, billOfPayment, billPaidBy, billsOf } from './bills.ts'
import { customerObject } from './objects/customer.ts'
import { type ChargebeeEvent, eventObject } from './objects/event.ts'
import { creditNoteObject, invoiceObject } from './objects/invoice.ts'
import { subscriptionObject } from './objects/subscription.ts'
import {
  findTransaction,
  paymentTransactions,
  refundStatus,
  refundTransaction,
  reversalTransaction,
} from './objects/transaction.ts'

type Subscription = Extract<Happening, { what: 'subscription.updated' }>['subscription']
type Made = [type: string, content: object]

const MINUTE_SECONDS = 60

export const TELLING: Telling<ChargebeeAccount, ChargebeeEvent> = {
  eventsOf: (happening, context) => made(happening, context).map(([type, object]) => ({ type, object })),
  eventObject,
  // Nothing is signed: who sends it is known by the user and the password alone.
  headers: (_, { webhookUser, webhookSecret }) => ({
    'Content-Type': 'application/json;charset=UTF-8',
    'User-Agent': 'ChargeBee',
    Authorization: `Basic ${Buffer.from(`${webhookUser}:${webhookSecret}`).toString('base64')}`,
  }),
  // support.chargebee.com, article 257941: seven retries.
  retrySeconds: [2, 6, 30, 60, 5 * 60, 24 * 60, 48 * 60].map((minutes) => minutes * MINUTE_SECONDS),
}

/** The events of what happened, with what each has in its content. */
function made(happening: Happening, context: AccountContext): Made[] {
  switch (happening.what) {
    case 'page.completed': {
      const { page } = happening
      if (page.subscription === null) return []
      const subscription = find(context, 'subscriptions', page.subscription)
      return [['subscription_created', about(context, subscription, billsOf(context, subscription.id)[0])]]
    }
    case 'subscription.ended':
      return [['subscription_cancelled', about(context, happening.subscription)]]
    case 'subscription.trial_ending':
      return [['subscription_trial_end_reminder', about(context, happening.subscription)]]
    case 'subscription.updated':
      return changed(happening.before, happening.subscription).map((type) => [
        type,
        about(context, happening.subscription),
      ])
    case 'invoice.paid':
    case 'invoice.failed': {
      const bill = billOfInvoice(context, happening.invoice)
      return bill.payment ? [paid(context, bill.payment, bill)] : []
    }
    // A subscription's payment is told of with its invoice; a card that is declined on a page has none.
    case 'payment.pending':
    case 'payment.paid':
    case 'payment.failed': {
      const bill = billOfPayment(context, happening.payment)
      return bill ? [paid(context, happening.payment, bill)] : []
    }
    case 'refund.created':
    case 'refund.updated': {
      const { refund, payment } = happening
      const transaction = refundTransaction(refund, context)
      const status = refundStatus(refund)
      // That a refund which fails is a `transaction_updated` is UNVERIFIED.
      if (status === 'failure') return [['transaction_updated', { transaction }]]
      const type = status === 'success' ? 'payment_refunded' : 'refund_initiated'
      const credit_note = creditNoteObject(refund, context)
      return [[type, { transaction, credit_note, ...ofBill(context, billPaidBy(context, payment)) }]]
    }
    // Which events tell of a reversal is UNVERIFIED, and that a dispute which is won undoes it, too.
    case 'dispute.opened':
    case 'dispute.closed': {
      const { dispute, payment, what } = happening
      if (what === 'dispute.closed' && dispute.status !== 'won') return []
      const type = what === 'dispute.opened' ? 'transaction_created' : 'transaction_updated'
      const bill = billPaidBy(context, payment)
      const updated: Made[] = bill ? [['invoice_updated', { invoice: invoiceObject(bill, context) }]] : []
      return [[type, { transaction: reversalTransaction(dispute, context) }], ...updated]
    }
    default:
      return []
  }
}

function changed(before: Subscription, after: Subscription): string[] {
  if (after.status === 'incomplete_expired') return ['subscription_cancelled']
  if (before.status !== after.status && after.status === 'paused') return ['subscription_paused']
  if (before.status === 'paused') return ['subscription_resumed']
  if (before.cancelAt === null && after.cancelAt !== null) return ['subscription_cancellation_scheduled']
  if (before.cancelAt !== null && after.cancelAt === null) return ['subscription_scheduled_cancellation_removed']
  if (before.periodEnd === after.periodEnd) return []
  return [before.status === 'trialing' ? 'subscription_activated' : 'subscription_renewed']
}

function about(context: AccountContext, subscription: Subscription, bill?: Bill) {
  const customer = customerObject(find(context, 'customers', subscription.customer))
  const content = { subscription: subscriptionObject(subscription, context), customer }
  return bill ? { ...content, invoice: invoiceObject(bill, context) } : content
}

const PAYMENTS = { success: 'payment_succeeded', failure: 'payment_failed', in_progress: 'payment_initiated' }

function paid(context: AccountContext, payment: PaymentRecord, bill: Bill): Made {
  const id = paymentTransactions(context, payment).at(-1)?.id ?? ''
  const transaction = findTransaction(context, id)
  const status =
    transaction.status === 'failure' || transaction.status === 'in_progress' ? transaction.status : 'success'
  return [PAYMENTS[status], { transaction, ...ofBill(context, bill) }]
}

function ofBill(context: AccountContext, bill: Bill | null) {
  if (!bill) return {}
  const subscription = bill.subscription === null ? null : find(context, 'subscriptions', bill.subscription)
  return {
    invoice: invoiceObject(bill, context),
    customer: customerObject(find(context, 'customers', bill.customer)),
    ...(subscription && { subscription: subscriptionObject(subscription, context) }),
  }
}
