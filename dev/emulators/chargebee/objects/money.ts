import { type AccountContext, find, newestFirst } from '../../core/domain/context.ts'
import type { PaymentRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { latestAttempt } from '../../core/domain/payments.ts'
import { listRefunds } from '../../core/domain/reversals.ts'
import { findSale, type Sale, salePaidBy, sumTotals } from '../../core/domain/sales.ts'
import type { PricedLine } from '../../core/domain/selling-records.ts'
import type { Views } from '../../core/wire/views.ts'
import { billId, billStatus } from '../bills.ts'
import { disputeOwn, refundOwn, saleOwn } from '../own.ts'
import { findReversal } from '../reversals.ts'
import { complete, content, versioned } from './wire.ts'

/** Payments, refunds and reversals, each of which is a transaction. */
export const MONEY = {
  /** For the controls, which identify a payment by this id. Chargebee's API shows only its attempts. */
  payments: ({ id, status }) => ({ id, status }),

  attempts(attempt, context) {
    const { status } = attempt
    const payment = find(context, 'payments', attempt.payment)
    const reversal = findReversal(context, attempt)
    const bill = salePaidBy(context, payment)
    return versioned(
      context,
      complete('transaction', {
        ...common(context, payment, { ...attempt, amount: payment.amount }),
        type: 'payment',
        status: ATTEMPTS[status],
        ...(status === 'failed' && { error_code: 'card_declined', error_text: 'Your card was declined.' }),
        // Succeeded and was reversed later.
        ...(status === 'paid' && reversal && { status: 'late_failure' as const, reversal_transaction_id: reversal.id }),
        linked_invoices: bill ? [linkedInvoice(bill, context)] : [],
      }),
    )
  },

  refunds(refund, context) {
    const payment = find(context, 'payments', refund.payment)
    const paid = latestAttempt(context, payment.id)
    return versioned(
      context,
      complete('transaction', {
        ...common(context, payment, refund),
        ...(refundOwn(refund).isChargeback && { payment_method: 'chargeback' as const }),
        type: 'refund',
        status: refundStatus(refund),
        ...(paid && { refunded_txn_id: paid.id }),
        linked_credit_notes: [linkedNote(refund, context)],
      }),
    )
  },

  /** The reversal of a payment by the payer's bank. */
  disputes(dispute, context) {
    const payment = find(context, 'payments', dispute.payment)
    const { id, created: date } = find(context, 'attempts', disputeOwn(dispute).transaction)
    return versioned(
      context,
      complete('transaction', {
        ...common(context, payment, dispute),
        type: 'payment_reversal',
        status: dispute.status === 'won' ? 'voided' : 'success',
        linked_payments: [{ id, amount: payment.amount, date }],
      }),
    )
  },
} satisfies Views

const ATTEMPTS = { paid: 'success', failed: 'failure', pending: 'in_progress' } as const

const linkedInvoice = (bill: Sale, context: AccountContext) => ({
  invoice_id: billId(bill),
  invoice_status: billStatus(context, bill),
  invoice_date: bill.created,
  invoice_total: sumTotals(bill).total,
  applied_amount: bill.amount,
  applied_at: bill.created,
})

const refundStatus = ({ status }: RefundRecord) =>
  status === 'refunded' ? 'success' : status === 'failed' ? 'failure' : status === 'canceled' ? 'voided' : 'in_progress'

/** The common fields of a payment's transactions. */
function common(
  context: AccountContext,
  payment: PaymentRecord,
  { id, created, amount }: { id: string; created: number; amount: number },
) {
  const subscription = salePaidBy(context, payment)?.subscription
  return {
    id,
    date: created,
    currency_code: payment.currency,
    amount,
    ...(payment.customer !== null && { customer_id: payment.customer }),
    ...(subscription && { subscription_id: subscription.id }),
  }
}

export function invoiceObject(bill: Sale, context: AccountContext) {
  const { created, customer, subscription, amount, paidAt, payment, discount, tax, fromBalance } = bill
  const { subtotal, total } = sumTotals(bill)
  const id = billId(bill)
  const status = billStatus(context, bill)
  const { poNumber } = saleOwn(bill)
  const amountDue = status === 'paid' ? 0 : amount
  const amountPaid = amount - amountDue
  const attempts = payment ? newestFirst(context, 'attempts', { payment: payment.id }).reverse() : []
  return versioned(
    context,
    complete('invoice', {
      id,
      status,
      customer_id: customer,
      recurring: subscription !== null,
      currency_code: bill.price.currency,
      ...(subscription && { subscription_id: subscription.id }),
      ...(poNumber !== null && { po_number: poNumber }),
      date: created,
      due_date: created,
      generated_at: created,
      sub_total: subtotal,
      tax,
      total,
      credits_applied: fromBalance,
      amount_due: amountDue,
      amount_paid: amountPaid,
      amount_to_collect: amountDue,
      ...(status === 'paid' && paidAt !== null && { paid_at: paidAt }),
      ...(status === 'payment_due' && { dunning_status: 'in_progress' as const }),
      ...(discount > 0 && { discounts: [complete('discount', { amount: discount })] }),
      ...(tax > 0 && { taxes: [complete('tax', { amount: tax })] }),
      line_items: bill.lines.map((line, index) => lineItem(bill, line, index)),
      linked_payments: attempts.map((attempt) => {
        const { id: txn_id, status: txn_status = 'success' } = MONEY.attempts(attempt, context)
        return {
          txn_id,
          txn_status,
          txn_amount: amount,
          applied_amount: amount,
          txn_date: attempt.created,
          applied_at: attempt.created,
        }
      }),
      issued_credit_notes: (payment ? listRefunds(context, payment) : []).map(issuedCreditNote),
    }),
  )
}

/** Chargebee distributes an invoice's coupon and taxes among its lines; here the first line has them. */
function lineItem(bill: Sale, { price, quantity, amount, periodStart, periodEnd }: PricedLine, index: number) {
  const { customer, subscription, discount, tax } = bill
  const whole = index === 0 && { discount_amount: discount, tax_amount: tax, is_taxed: tax > 0 }
  return complete('line_item', {
    id: `li_${billId(bill)}${index || ''}`,
    customer_id: customer,
    date_from: periodStart,
    date_to: periodEnd,
    ...whole,
    ...(subscription && { subscription_id: subscription.id }),
    unit_amount: amount / quantity,
    quantity,
    amount,
    description: price.label,
    entity_id: price.id,
    entity_type: subscription ? 'plan_item_price' : 'charge_item_price',
  })
}

/** An invoice with its customer and subscription. */
export const withBuyer = (bill: Sale, context: AccountContext) =>
  content(
    bill.subscription && context.show('subscriptions', bill.subscription),
    context.show('customers', find(context, 'customers', bill.customer)),
    invoiceObject(bill, context),
  )

/** The credit note of a refund: every refund of an invoice has one. */
export function creditNoteObject(refund: RefundRecord, context: AccountContext) {
  const bill = findSale(context, find(context, 'payments', refund.payment))
  const { amount, created } = refund
  const note = issuedCreditNote(refund)
  const refunded = note.cn_status === 'refunded' ? amount : 0
  return versioned(
    context,
    complete('credit_note', {
      id: note.cn_id,
      customer_id: bill.customer,
      reference_invoice_id: billId(bill),
      ...(bill.subscription && { subscription_id: bill.subscription.id }),
      reason_code: note.cn_reason_code,
      status: note.cn_status,
      date: created,
      currency_code: bill.price.currency,
      total: amount,
      sub_total: amount,
      amount_refunded: refunded,
      amount_available: amount - refunded,
    }),
  )
}

const linkedNote = (refund: RefundRecord, context: AccountContext) => ({
  ...issuedCreditNote(refund),
  applied_amount: refund.amount,
  applied_at: refund.created,
  cn_reference_invoice_id: billId(findSale(context, find(context, 'payments', refund.payment))),
})

const issuedCreditNote = (refund: RefundRecord) => ({
  cn_id: `cn_${refund.id}`,
  cn_reason_code: refundOwn(refund).isChargeback ? ('chargeback' as const) : ('product_unsatisfactory' as const),
  cn_create_reason_code: refundOwn(refund).reasonCode,
  cn_date: refund.created,
  cn_total: refund.amount,
  cn_status: noteStatus(refund),
})

function noteStatus(refund: RefundRecord) {
  const status = refundStatus(refund)
  return status === 'success'
    ? ('refunded' as const)
    : status === 'voided'
      ? ('voided' as const)
      : ('refund_due' as const)
}
