import type { CreditNote, Invoice } from 'chargebee'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { RefundRecord } from '../../core/domain/money-records.ts'
import { refundsOf } from '../../core/domain/reversals.ts'
import { type Bill, billPaidBy } from '../bills.ts'
import { refundOwn } from '../own.ts'
import { paymentTransactions, refundStatus } from './transaction.ts'
import { version, type Wire } from './wire.ts'

export function invoiceObject(bill: Bill, context: AccountContext): Wire<Invoice> {
  const { id, created, customer, subscription, status, amount, sold, period, paidAt, payment } = bill
  const isPaid = status === 'paid'
  const transactions = payment ? paymentTransactions(context, payment) : []
  return {
    id,
    customer_id: customer,
    ...(subscription !== null && { subscription_id: subscription }),
    ...(sold.poNumber !== null && { po_number: sold.poNumber }),
    recurring: subscription !== null,
    status,
    date: created,
    due_date: created,
    net_term_days: 0,
    price_type: 'tax_exclusive',
    currency_code: bill.currency,
    tax: 0,
    sub_total: amount,
    total: amount,
    amount_due: isPaid ? 0 : amount,
    amount_adjusted: 0,
    amount_paid: isPaid ? amount : 0,
    amount_to_collect: isPaid ? 0 : amount,
    ...(isPaid && paidAt !== null && { paid_at: paidAt }),
    write_off_amount: 0,
    credits_applied: 0,
    ...(status === 'payment_due' && { dunning_status: 'in_progress' }),
    ...version(paidAt ?? created),
    has_advance_charges: false,
    term_finalized: true,
    is_gifted: false,
    generated_at: created,
    channel: 'web',
    line_items: [lineItem(bill, sold, period)],
    linked_payments: transactions.map((transaction) => ({
      txn_id: transaction.id,
      applied_amount: amount,
      applied_at: transaction.date ?? created,
      txn_status: transaction.status ?? 'success',
      txn_date: transaction.date ?? created,
      txn_amount: amount,
    })),
    issued_credit_notes: (payment ? refundsOf(context, payment) : []).map(issuedCreditNote),
    deleted: false,
    object: 'invoice',
  }
}

/** The credit note of a refund: every refund of an invoice makes one. */
export function creditNoteObject(refund: RefundRecord, context: AccountContext): Wire<CreditNote> {
  const bill = billPaidBy(context, find(context, 'payments', refund.payment))
  const note = issuedCreditNote(refund)
  const refunded = note.cn_status === 'refunded' ? refund.amount : 0
  return {
    id: note.cn_id,
    customer_id: bill?.customer ?? '',
    ...(bill?.subscription && { subscription_id: bill.subscription }),
    reference_invoice_id: bill?.id ?? '',
    type: 'refundable',
    reason_code: note.cn_reason_code,
    status: note.cn_status,
    date: refund.created,
    price_type: 'tax_exclusive',
    currency_code: bill?.currency ?? '',
    total: refund.amount,
    sub_total: refund.amount,
    amount_allocated: 0,
    amount_refunded: refunded,
    amount_available: refund.amount - refunded,
    ...version(refund.created),
    deleted: false,
    object: 'credit_note',
  }
}

const issuedCreditNote = (refund: RefundRecord) => ({
  cn_id: `cn_${refund.id}`,
  cn_reason_code: refundOwn(refund).isChargeback ? ('chargeback' as const) : ('product_unsatisfactory' as const),
  cn_create_reason_code: refundOwn(refund).reasonCode,
  cn_date: refund.created,
  cn_total: refund.amount,
  cn_status: refundStatus(refund) === 'success' ? ('refunded' as const) : ('refund_due' as const),
})

const lineItem = (
  bill: Bill,
  sold: Bill['sold'],
  [from, to]: Bill['period'],
): Invoice.LineItem & { object: string } => ({
  id: `li_${bill.id}`,
  ...(bill.subscription !== null && { subscription_id: bill.subscription }),
  date_from: from,
  date_to: to,
  unit_amount: bill.amount / sold.quantity,
  quantity: sold.quantity,
  amount: bill.amount,
  pricing_model: 'per_unit',
  is_taxed: false,
  description: sold.label,
  entity_type: bill.subscription === null ? 'charge_item_price' : 'plan_item_price',
  entity_id: sold.itemPrice,
  customer_id: bill.customer,
  object: 'line_item',
})
