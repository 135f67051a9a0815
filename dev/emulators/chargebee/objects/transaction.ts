import type { Transaction } from 'chargebee'
import { type AccountContext, all, find } from '../../core/domain/context.ts'
import type { AttemptRecord, DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { disputesOf } from '../../core/domain/reversals.ts'
import { salePaidBy } from '../../core/domain/sales.ts'
import { billId, billStatus } from '../bills.ts'
import { notFound } from '../errors.ts'
import { refundOwn } from '../own.ts'
import { complete, version } from './wire.ts'

type Status = NonNullable<Transaction['status']>

/** Each attempt of a payment is a transaction, the oldest first. */
export const paymentTransactions = (context: AccountContext, payment: PaymentRecord) =>
  payment.attempts.map((attempt) => paymentTransaction(context, payment, attempt))

function paymentTransaction(context: AccountContext, payment: PaymentRecord, { id, created, status }: AttemptRecord) {
  const reversal = disputesOf(context, payment).find((dispute) => dispute.status !== 'won')
  const made: Status = status === 'paid' ? 'success' : status === 'failed' ? 'failure' : 'in_progress'
  const bill = salePaidBy(context, payment)
  const { amount } = payment
  const linked = bill && {
    ...{
      invoice_id: billId(bill),
      invoice_status: billStatus(context, bill),
      invoice_date: bill.created,
      invoice_total: amount,
    },
    ...{ applied_amount: amount, applied_at: bill.created },
  }
  return complete('transaction', {
    ...common(context, payment, { id, created, amount }),
    type: 'payment',
    // What had succeeded and was taken back later is a `late_failure`.
    status: made === 'success' && reversal ? 'late_failure' : made,
    ...(made === 'failure' && { error_code: 'card_declined', error_text: 'Your card was declined.' }),
    ...(made === 'success' && reversal && { reversal_transaction_id: reversal.id }),
    linked_invoices: linked ? [linked] : [],
  })
}

export function refundTransaction(refund: RefundRecord, context: AccountContext) {
  const payment = find(context, 'payments', refund.payment)
  const paid = payment.attempts.at(-1)
  return complete('transaction', {
    ...common(context, payment, refund),
    ...(refundOwn(refund).isChargeback && { payment_method: 'chargeback' as const }),
    ...{ type: 'refund', status: refundStatus(refund) },
    ...(paid && { refunded_txn_id: paid.id }),
  })
}

export const refundStatus = ({ status }: RefundRecord) =>
  status === 'refunded' ? 'success' : status === 'failed' ? 'failure' : status === 'canceled' ? 'voided' : 'in_progress'

/** The payer's bank has taken a payment back. */
export function reversalTransaction(dispute: DisputeRecord, context: AccountContext) {
  const payment = find(context, 'payments', dispute.payment)
  const paid = payment.attempts.at(-1)
  return complete('transaction', {
    ...common(context, payment, dispute),
    ...{ type: 'payment_reversal', status: dispute.status === 'won' ? 'voided' : 'success' },
    ...(paid && { linked_payments: [{ id: paid.id, amount: payment.amount, date: paid.created }] }),
  })
}

export function findTransaction(context: AccountContext, id: string) {
  const made = [
    ...all(context, 'refunds').map((refund) => refundTransaction(refund, context)),
    ...all(context, 'disputes').map((dispute) => reversalTransaction(dispute, context)),
    ...all(context, 'payments').flatMap((payment) => paymentTransactions(context, payment)),
  ]
  const transaction = made.find((each) => each.id === id)
  if (!transaction) throw notFound(id)
  return transaction
}

function common(
  context: AccountContext,
  payment: PaymentRecord,
  { id, created, amount }: { id: string; created: number; amount: number },
) {
  const subscription = salePaidBy(context, payment)?.subscription
  return {
    ...{ id, date: created, currency_code: payment.currency, amount, ...version(created) },
    ...(payment.customer !== null && { customer_id: payment.customer }),
    ...(subscription && { subscription_id: subscription.id }),
  }
}
