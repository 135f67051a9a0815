import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import { isReversed, leftOf, refundPayment } from '../core/domain/reversals.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { type Ids, Nothing, type Route, route } from '../core/wire/routes.ts'
import { billsOf, findBill } from './bills.ts'
import { wrongState, wrongValue } from './errors.ts'
import { creditNoteObject, findTransaction, invoiceObject, refundTransaction } from './objects/money.ts'
import { content, shown } from './objects/wire.ts'

const OfSubscription = z.strictObject({
  subscription_id: z.strictObject({ is: text(50) }),
  limit: integer(1, 100).default(10),
  sort_by: z.strictObject({ asc: z.literal('date') }),
})

const RefundParameters = z.strictObject({ refund_amount: integer(1).optional() })

function refundBill(context: AccountContext, given: z.output<typeof RefundParameters>, [id]: Ids) {
  const { payment } = findBill(context, id)
  if (!payment) throw wrongState('The invoice is not paid.')
  const made = refund(context, payment, given.refund_amount)
  return content(
    invoiceObject(findBill(context, id), context),
    refundTransaction(made, context),
    creditNoteObject(made, context),
  )
}

/** Refunds an amount, or all that is left. */
export function refund(context: AccountContext, payment: PaymentRecord, given?: number): RefundRecord {
  const left = leftOf(context, payment)
  const amount = given ?? left
  if (payment.status !== 'paid' || isReversed(context, payment)) throw wrongState('The invoice is not paid.')
  if (left === 0 || amount > left) throw wrongValue('refund_amount', `only ${left} can be refunded`)
  return refundPayment(context, payment, { amount, own: { reasonCode: 'Other' } })
}

/** A chargeback, as a site records it that is set up to make a credit note and a refund of it. */
export function chargeBack(context: AccountContext, payment: PaymentRecord): RefundRecord {
  const amount = leftOf(context, payment)
  if (amount === 0 || isReversed(context, payment)) throw wrongState('The invoice is not paid.')
  const own = { reasonCode: 'Chargeback', isChargeback: true }
  return refundPayment(context, payment, { amount, own, status: 'refunded' })
}

export const INVOICE_ROUTES: Route[] = [
  route('GET', '/invoices', OfSubscription, (context, { subscription_id: { is }, limit }) => {
    const bills = billsOf(context, is).slice(0, limit)
    return { list: bills.map((bill) => content(invoiceObject(bill, context))) }
  }),
  route('GET', '/invoices/:id+', Nothing, (context, _, [id]) => findBill(context, id), shown(invoiceObject)),
  route('POST', '/invoices/:id+/refund', RefundParameters, refundBill),
  route('GET', '/transactions/:id', Nothing, (context, _, [id]) => content(findTransaction(context, id))),
]
