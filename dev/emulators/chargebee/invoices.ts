import * as z from 'zod'
import { type AccountContext, showById } from '../core/domain/context.ts'
import type { PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import { endRefund, refundUpTo } from '../core/domain/reversals.ts'
import { receiptAddress } from '../core/pages/receipt.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { type Ids, type Route, read, route } from '../core/wire/routes.ts'
import { findBill, listBills } from './bills.ts'
import { notFound, wrongState, wrongValue } from './errors.ts'
import { creditNoteObject, invoiceObject } from './objects/money.ts'
import { content } from './objects/wire.ts'
import { refundOwn } from './own.ts'
import { isReversed } from './reversals.ts'

const OfSubscription = z.strictObject({
  subscription_id: z.strictObject({ is: text(50) }),
  limit: integer(1, 100).default(10),
  sort_by: z.strictObject({ asc: z.literal('date').optional(), desc: z.literal('date').optional() }),
})

const RefundParameters = z.strictObject({ refund_amount: integer(1).optional() })

const PdfParameters = z.strictObject({ disposition_type: z.enum(['attachment', 'inline']).default('attachment') })

function refundBill(context: AccountContext, given: z.output<typeof RefundParameters>, [id]: Ids) {
  const { payment } = findBill(context, id)
  if (!payment) throw wrongState('The invoice is not paid.')
  const made = refund(context, payment, given.refund_amount)
  const invoice = invoiceObject(findBill(context, id), context)
  return content(invoice, context.show('refunds', made), creditNoteObject(made, context))
}

/** Refunds an amount, by default all that is left. */
export const refund = (context: AccountContext, payment: PaymentRecord, amount?: number) =>
  giveBack(context, payment, { amount, own: { reasonCode: 'Other' } })

/** A chargeback, on a site that creates a credit note and records a refund for it. */
export const chargeBack = (context: AccountContext, payment: PaymentRecord) =>
  giveBack(context, payment, { own: { reasonCode: 'Chargeback', isChargeback: true }, status: 'refunded' })

export function winChargeback(context: AccountContext, refund: RefundRecord): RefundRecord {
  if (!refundOwn(refund).isChargeback) throw wrongState('The refund is not a chargeback.')
  return endRefund(context, refund, 'canceled')
}

function giveBack(context: AccountContext, payment: PaymentRecord, given: Parameters<typeof refundUpTo>[2]) {
  if (payment.status !== 'paid' || isReversed(context, payment)) throw wrongState('The invoice is not paid.')
  return refundUpTo(context, payment, given, (left) => wrongValue('refund_amount', `only ${left} can be refunded`))
}

export const INVOICE_ROUTES: Route[] = [
  route('GET', '/invoices', OfSubscription, (context, { subscription_id: { is }, limit, sort_by: { desc } }) => {
    const oldest = listBills(context, is)
    const bills = desc ? oldest.toReversed() : oldest
    const list = bills.slice(0, limit).map((bill) => content(invoiceObject(bill, context)))
    return { list, ...(bills.length > limit && { next_offset: String(limit) }) }
  }),
  read('/invoices/:id+', findBill, invoiceObject),
  route('POST', '/invoices/:id+/refund', RefundParameters, refundBill),
  // apidocs.chargebee.com/docs/api/invoices#retrieve_invoice_as_pdf: a download whose address is "a temporary URL". That it holds for an hour
  // is UNVERIFIED.
  route('POST', '/invoices/:id+/pdf', PdfParameters, (context, _, [id]) => {
    const bill = findBill(context, id)
    const download_url = receiptAddress(context, bill)
    return {
      download: { object: 'download', download_url, valid_till: context.now + 3600, mime_type: 'application/pdf' },
    }
  }),
  read('/transactions/:id', (context, id) => {
    const transaction = showById(context, id, ['attempts', 'refunds', 'disputes'])
    if (!transaction) throw notFound(id)
    return transaction
  }),
]
