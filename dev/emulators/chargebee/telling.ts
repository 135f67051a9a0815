import { type AccountContext, find } from '../core/domain/context.ts'
import type { DisputeRecord, InvoiceRecord, PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { type Sale, saleOfInvoice, saleOfPayment } from '../core/domain/sales.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { Telling } from '../core/processor.ts'
import { type Made, tellingOf } from '../core/webhooks/telling.ts'
import type { ChargebeeAccount } from './accounts.ts'
import { type Bill, billOf, billPaidBy, billsOf } from './bills.ts'
import { creditNoteObject, invoiceObject } from './objects/invoice.ts'
import { customerObject, withCustomer } from './objects/subscription.ts'
import { paymentTransactions, refundStatus, refundTransaction, reversalTransaction } from './objects/transaction.ts'
import { type ChargebeeEvent, complete } from './objects/wire.ts'

const MINUTE_SECONDS = 60

export const eventObject = ({ id, created, object, type }: EventRecord, { pending }: { pending: number }) =>
  complete('event', {
    ...{ id, occurred_at: created, content: object, event_type: type },
    webhook_status: pending > 0 ? 'scheduled' : 'succeeded',
  })

export const TELLING: Telling<ChargebeeAccount, ChargebeeEvent> = {
  eventsOf: tellingOf({
    'page.completed': ({ page: { subscription: id } }, context) =>
      id === null
        ? []
        : [['subscription_created', about(context, find(context, 'subscriptions', id), billsOf(context, id)[0])]],
    'subscription.ended': ({ subscription }, context) => [['subscription_cancelled', about(context, subscription)]],
    // A trial that is cancelled ends without a word.
    'subscription.trial_ending': ({ subscription }, context) =>
      subscription.cancelAt === null ? [['subscription_trial_end_reminder', about(context, subscription)]] : [],
    'subscription.updated': ({ before, subscription }, context) =>
      changed(before, subscription).map((type) => [type, about(context, subscription)]),
    'invoice.paid': charged,
    'invoice.failed': charged,
    // A subscription's payment is told of with its invoice; a card that is declined on a page has none.
    'payment.pending': soldOnce,
    'payment.paid': soldOnce,
    'payment.failed': soldOnce,
    'refund.created': refunded,
    'refund.updated': refunded,
    // Which events tell of a reversal is UNVERIFIED, and that a dispute which is won undoes it, too.
    'dispute.opened': (happening, context) => reversed('transaction_created', happening, context),
    'dispute.closed': (happening, context) =>
      happening.dispute.status === 'won' ? reversed('transaction_updated', happening, context) : [],
  }),
  eventObject,
  // Nothing is signed: who sends it is known by the user and the password alone.
  headers: (_, { webhookUser, webhookPassword }) => ({
    'Content-Type': 'application/json;charset=UTF-8',
    'User-Agent': 'ChargeBee',
    Authorization: `Basic ${Buffer.from(`${webhookUser}:${webhookPassword}`).toString('base64')}`,
  }),
  // support.chargebee.com, article 257941: seven retries.
  retrySeconds: [2, 6, 30, 60, 5 * 60, 24 * 60, 48 * 60].map((minutes) => minutes * MINUTE_SECONDS),
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

function charged({ invoice }: { invoice: InvoiceRecord }, context: AccountContext): Made[] {
  return paid(context, saleOfInvoice(context, invoice))
}

function soldOnce({ payment }: { payment: PaymentRecord }, context: AccountContext): Made[] {
  return paid(context, saleOfPayment(payment))
}

function refunded(
  { refund, payment }: { refund: RefundRecord; payment: PaymentRecord },
  context: AccountContext,
): Made[] {
  const transaction = refundTransaction(refund, context)
  const status = refundStatus(refund)
  // That a refund which fails is a `transaction_updated` is UNVERIFIED.
  if (status === 'failure') return [['transaction_updated', { transaction }]]
  const type = status === 'success' ? 'payment_refunded' : 'refund_initiated'
  const credit_note = creditNoteObject(refund, context)
  return [[type, { transaction, credit_note, ...ofBill(context, billPaidBy(context, payment)) }]]
}

type Disputed = { dispute: DisputeRecord; payment: PaymentRecord }

function reversed(type: string, { dispute, payment }: Disputed, context: AccountContext): Made[] {
  const bill = billPaidBy(context, payment)
  const updated: Made[] = bill ? [['invoice_updated', { invoice: invoiceObject(bill, context) }]] : []
  return [[type, { transaction: reversalTransaction(dispute, context) }], ...updated]
}

const about = (context: AccountContext, subscription: SubscriptionRecord, bill?: Bill) => ({
  ...withCustomer(subscription, context),
  ...(bill && { invoice: invoiceObject(bill, context) }),
})

function paid(context: AccountContext, sale: Sale | null): Made[] {
  if (!sale?.payment) return []
  const transaction = paymentTransactions(context, sale.payment).at(-1)
  const { status } = transaction ?? {}
  const what = status === 'failure' ? 'failed' : status === 'in_progress' ? 'initiated' : 'succeeded'
  return [[`payment_${what}`, { transaction, ...ofBill(context, billOf(context, sale)) }]]
}

function ofBill(context: AccountContext, bill: Bill | null) {
  if (!bill) return {}
  const { customer, subscription } = bill
  if (subscription) return about(context, subscription, bill)
  return { customer: customerObject(find(context, 'customers', customer)), invoice: invoiceObject(bill, context) }
}
