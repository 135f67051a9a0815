import { type AccountContext, find } from '../core/domain/context.ts'
import type { Happening } from '../core/domain/happenings.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { saleOfInvoice, saleOfPayment } from '../core/domain/sales.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { Telling } from '../core/processor.ts'
import type { ChargebeeAccount } from './accounts.ts'
import { type Bill, billOf, billPaidBy, billsOf } from './bills.ts'
import { creditNoteObject, invoiceObject } from './objects/invoice.ts'
import { customerObject, withCustomer } from './objects/subscription.ts'
import { paymentTransactions, refundStatus, refundTransaction, reversalTransaction } from './objects/transaction.ts'
import { type ChargebeeEvent, complete } from './objects/wire.ts'

type Made = [type: string, content: object]

const MINUTE_SECONDS = 60

export const eventObject = ({ id, created, object, type }: EventRecord, { pending }: { pending: number }) =>
  complete('event', {
    ...{ id, occurred_at: created, content: object, event_type: type },
    webhook_status: pending > 0 ? 'scheduled' : 'succeeded',
  })

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
      const { subscription: id } = happening.page
      if (id === null) return []
      return [['subscription_created', about(context, find(context, 'subscriptions', id), billsOf(context, id)[0])]]
    }
    case 'subscription.ended':
      return [['subscription_cancelled', about(context, happening.subscription)]]
    case 'subscription.trial_ending':
      // A trial that is cancelled ends without a word.
      if (happening.subscription.cancelAt !== null) return []
      return [['subscription_trial_end_reminder', about(context, happening.subscription)]]
    case 'subscription.updated': {
      const content = about(context, happening.subscription)
      return changed(happening.before, happening.subscription).map((type) => [type, content])
    }
    case 'invoice.paid':
    case 'invoice.failed': {
      const bill = billOf(context, saleOfInvoice(context, happening.invoice))
      return bill.payment ? [paid(context, bill.payment, bill)] : []
    }
    // A subscription's payment is told of with its invoice; a card that is declined on a page has none.
    case 'payment.pending':
    case 'payment.paid':
    case 'payment.failed': {
      const sale = saleOfPayment(happening.payment)
      return sale ? [paid(context, happening.payment, billOf(context, sale))] : []
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

function changed(before: SubscriptionRecord, after: SubscriptionRecord): string[] {
  if (after.status === 'incomplete_expired') return ['subscription_cancelled']
  if (before.status !== after.status && after.status === 'paused') return ['subscription_paused']
  if (before.status === 'paused') return ['subscription_resumed']
  if (before.cancelAt === null && after.cancelAt !== null) return ['subscription_cancellation_scheduled']
  if (before.cancelAt !== null && after.cancelAt === null) return ['subscription_scheduled_cancellation_removed']
  if (before.periodEnd === after.periodEnd) return []
  return [before.status === 'trialing' ? 'subscription_activated' : 'subscription_renewed']
}

const about = (context: AccountContext, subscription: SubscriptionRecord, bill?: Bill) => ({
  ...withCustomer(subscription, context),
  ...(bill && { invoice: invoiceObject(bill, context) }),
})

function paid(context: AccountContext, payment: PaymentRecord, bill: Bill): Made {
  const transaction = paymentTransactions(context, payment).at(-1)
  const { status } = transaction ?? {}
  const what = status === 'failure' ? 'failed' : status === 'in_progress' ? 'initiated' : 'succeeded'
  return [`payment_${what}`, { transaction, ...ofBill(context, bill) }]
}

function ofBill(context: AccountContext, bill: Bill | null) {
  if (!bill) return {}
  const { customer, subscription } = bill
  if (subscription) return about(context, subscription, bill)
  return { customer: customerObject(find(context, 'customers', customer)), invoice: invoiceObject(bill, context) }
}
