import { type AccountContext, find } from '../../core/domain/context.ts'
import type { RefundRecord } from '../../core/domain/money-records.ts'
import { refundsOf } from '../../core/domain/reversals.ts'
import { type Sale, salePaidBy } from '../../core/domain/sales.ts'
import { billId, billStatus } from '../bills.ts'
import { refundOwn, saleOwn } from '../own.ts'
import { customerObject, subscriptionObject } from './subscription.ts'
import { paymentTransactions, refundStatus } from './transaction.ts'
import { complete, content, version } from './wire.ts'

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

const lineItem = (bill: Sale) => {
  const {
    customer,
    subscription,
    amount,
    quantity,
    price,
    period: [from, to],
  } = bill
  return complete('line_item', {
    ...{ id: `li_${billId(bill)}`, customer_id: customer, date_from: from, date_to: to },
    ...(subscription && { subscription_id: subscription.id }),
    ...{ unit_amount: amount / quantity, quantity, amount, description: price.label, entity_id: price.id },
    entity_type: subscription ? 'plan_item_price' : 'charge_item_price',
  })
}
