import type { Transaction } from 'chargebee'
import { type AccountContext, all, find } from '../../core/domain/context.ts'
import type { AttemptRecord, DisputeRecord, PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { disputesOf, refundsOf } from '../../core/domain/reversals.ts'
import { type Sale, salePaidBy } from '../../core/domain/sales.ts'
import { billId, billStatus } from '../bills.ts'
import { notFound } from '../errors.ts'
import { refundOwn, saleOwn } from '../own.ts'
import { customerObject, subscriptionObject } from './subscription.ts'
import { complete, content, version } from './wire.ts'

type Status = NonNullable<Transaction['status']>

/** Each attempt of a payment is a transaction, the oldest first. */
export const paymentTransactions = (context: AccountContext, payment: PaymentRecord) =>
  payment.attempts.map((attempt) => paymentTransaction(context, payment, attempt))

function paymentTransaction(context: AccountContext, payment: PaymentRecord, { id, created, status }: AttemptRecord) {
  const reversal = disputesOf(context, payment).find((dispute) => dispute.status !== 'won')
  const made: Status = status === 'paid' ? 'success' : status === 'failed' ? 'failure' : 'in_progress'
  const bill = salePaidBy(context, payment)
  const { amount } = payment
  return complete('transaction', {
    ...common(context, payment, { id, created, amount }),
    type: 'payment',
    // What had succeeded and was taken back later is a `late_failure`.
    status: made === 'success' && reversal ? 'late_failure' : made,
    ...(made === 'failure' && { error_code: 'card_declined', error_text: 'Your card was declined.' }),
    ...(made === 'success' && reversal && { reversal_transaction_id: reversal.id }),
    linked_invoices: bill ? [linkedInvoice(bill, amount, context)] : [],
  })
}

const linkedInvoice = (bill: Sale, amount: number, context: AccountContext) => ({
  ...{ invoice_id: billId(bill), invoice_status: billStatus(context, bill), invoice_date: bill.created },
  ...{ invoice_total: amount, applied_amount: amount, applied_at: bill.created },
})

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

const refundStatus = ({ status }: RefundRecord) =>
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

export function invoiceObject(bill: Sale, context: AccountContext) {
  const { created, customer, subscription, amount, paidAt, payment } = bill
  const [id, status] = [billId(bill), billStatus(context, bill)]
  const { poNumber } = saleOwn(bill)
  const [due, paid] = status === 'paid' ? [0, amount] : [amount, 0]
  return complete('invoice', {
    ...{ id, status, customer_id: customer, recurring: subscription !== null, currency_code: bill.price.currency },
    ...(subscription && { subscription_id: subscription.id }),
    ...(poNumber !== null && { po_number: poNumber }),
    ...{ date: created, due_date: created, generated_at: created, ...version(paidAt ?? created) },
    ...{ sub_total: amount, total: amount, amount_due: due, amount_paid: paid, amount_to_collect: due },
    ...(status === 'paid' && paidAt !== null && { paid_at: paidAt }),
    ...(status === 'payment_due' && { dunning_status: 'in_progress' as const }),
    line_items: [lineItem(bill)],
    linked_payments: (payment ? paymentTransactions(context, payment) : []).map((transaction) => ({
      ...{ txn_id: transaction.id, txn_status: transaction.status ?? 'success', txn_amount: amount },
      ...{ applied_amount: amount, applied_at: transaction.date ?? created, txn_date: transaction.date ?? created },
    })),
    issued_credit_notes: (payment ? refundsOf(context, payment) : []).map(issuedCreditNote),
  })
}

/** An invoice, whose it is, and the subscription that it is of. */
export const withBuyer = (bill: Sale, context: AccountContext) =>
  content(
    bill.subscription && subscriptionObject(bill.subscription, context),
    customerObject(find(context, 'customers', bill.customer)),
    invoiceObject(bill, context),
  )

/** The credit note of a refund: every refund of an invoice makes one. */
export function creditNoteObject(refund: RefundRecord, context: AccountContext) {
  const bill = salePaidBy(context, find(context, 'payments', refund.payment))
  const { amount, created } = refund
  const note = issuedCreditNote(refund)
  const refunded = note.cn_status === 'refunded' ? amount : 0
  return complete('credit_note', {
    ...{ id: note.cn_id, customer_id: bill?.customer ?? '', reference_invoice_id: bill ? billId(bill) : '' },
    ...(bill?.subscription && { subscription_id: bill.subscription.id }),
    ...{ reason_code: note.cn_reason_code, status: note.cn_status, date: created, ...version(created) },
    ...{ currency_code: bill?.price.currency ?? '', total: amount, sub_total: amount },
    ...{ amount_refunded: refunded, amount_available: amount - refunded },
  })
}

const issuedCreditNote = (refund: RefundRecord) => ({
  cn_id: `cn_${refund.id}`,
  cn_reason_code: refundOwn(refund).isChargeback ? ('chargeback' as const) : ('product_unsatisfactory' as const),
  cn_create_reason_code: refundOwn(refund).reasonCode,
  ...{ cn_date: refund.created, cn_total: refund.amount },
  cn_status: refundStatus(refund) === 'success' ? ('refunded' as const) : ('refund_due' as const),
})

function lineItem(bill: Sale) {
  const { customer, subscription, amount, quantity, price, period } = bill
  return complete('line_item', {
    ...{ id: `li_${billId(bill)}`, customer_id: customer, date_from: period[0], date_to: period[1] },
    ...(subscription && { subscription_id: subscription.id }),
    ...{ unit_amount: amount / quantity, quantity, amount, description: price.label, entity_id: price.id },
    entity_type: subscription ? 'plan_item_price' : 'charge_item_price',
  })
}
