import type { Transaction } from 'chargebee'
import { type AccountContext, all, find } from '../../core/domain/context.ts'
import type { AttemptRecord, DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { disputesOf } from '../../core/domain/reversals.ts'
import { billPaidBy, isReversed } from '../bills.ts'
import { notFound } from '../errors.ts'
import { refundOwn } from '../own.ts'
import { version, type Wire } from './wire.ts'

/** Each attempt of a payment is a transaction, the oldest first. */
export const paymentTransactions = (context: AccountContext, payment: PaymentRecord): Wire<Transaction>[] =>
  payment.attempts.map((attempt) => paymentTransaction(context, payment, attempt))

function paymentTransaction(context: AccountContext, payment: PaymentRecord, attempt: AttemptRecord) {
  const reversal = disputesOf(context, payment).find(({ status }) => status !== 'won')
  const status = attempt.status === 'paid' ? 'success' : attempt.status === 'failed' ? 'failure' : 'in_progress'
  return {
    ...common(context, payment, { id: attempt.id, created: attempt.created, amount: payment.amount }),
    type: 'payment' as const,
    // What had succeeded and was taken back later is a `late_failure`.
    status: status === 'success' && isReversed(context, payment) ? ('late_failure' as const) : (status as 'success'),
    ...(status === 'failure' && { error_code: 'card_declined', error_text: 'Your card was declined.' }),
    ...(status === 'success' && reversal && { reversal_transaction_id: reversal.id }),
    linked_invoices: linkedInvoices(context, payment),
  }
}

export function refundTransaction(refund: RefundRecord, context: AccountContext): Wire<Transaction> {
  const payment = find(context, 'payments', refund.payment)
  const paid = payment.attempts.at(-1)
  return {
    ...common(context, payment, refund),
    payment_method: refundOwn(refund).isChargeback ? 'chargeback' : 'card',
    type: 'refund',
    status: refundStatus(refund),
    ...(paid && { refunded_txn_id: paid.id }),
  }
}

export const refundStatus = ({ status }: RefundRecord) =>
  status === 'refunded' ? 'success' : status === 'failed' ? 'failure' : status === 'canceled' ? 'voided' : 'in_progress'

/** The payer's bank has taken a payment back. */
export function reversalTransaction(dispute: DisputeRecord, context: AccountContext): Wire<Transaction> {
  const payment = find(context, 'payments', dispute.payment)
  const paid = payment.attempts.at(-1)
  return {
    ...common(context, payment, dispute),
    type: 'payment_reversal',
    status: dispute.status === 'won' ? 'voided' : 'success',
    ...(paid && { linked_payments: [{ id: paid.id, amount: payment.amount, date: paid.created }] }),
  }
}

export function findTransaction(context: AccountContext, id: string): Wire<Transaction> {
  const refund = all(context, 'refunds').find((each) => each.id === id)
  if (refund) return refundTransaction(refund, context)
  const dispute = all(context, 'disputes').find((each) => each.id === id)
  if (dispute) return reversalTransaction(dispute, context)
  const made = all(context, 'payments').flatMap((payment) => paymentTransactions(context, payment))
  const transaction = made.find((each) => each.id === id)
  if (!transaction) throw notFound(id)
  return transaction
}

function common(
  context: AccountContext,
  payment: PaymentRecord,
  about: { id: string; created: number; amount: number },
) {
  const subscription = billPaidBy(context, payment)?.subscription ?? null
  return {
    id: about.id,
    ...(payment.customer !== null && { customer_id: payment.customer }),
    ...(subscription !== null && { subscription_id: subscription }),
    payment_method: 'card' as const,
    gateway: 'chargebee' as const,
    date: about.created,
    currency_code: payment.currency,
    amount: about.amount,
    ...version(about.created),
    deleted: false,
    object: 'transaction',
  }
}

function linkedInvoices(context: AccountContext, payment: PaymentRecord): Transaction.LinkedInvoice[] {
  const bill = billPaidBy(context, payment)
  if (!bill) return []
  const { id, amount, created, status } = bill
  const applied = { applied_amount: amount, applied_at: created, invoice_date: created, invoice_total: amount }
  return [{ invoice_id: id, ...applied, invoice_status: status }]
}
