import * as z from 'zod'
import { type AccountContext, all, find, having } from '../core/domain/context.ts'
import type { RefundRecord } from '../core/domain/money-records.ts'
import { isReversed, leftOf, refundPayment } from '../core/domain/reversals.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { create, type Route, read, retrieve, route } from '../core/wire/routes.ts'
import { refuseUncharged } from './currencies.ts'
import { noSuch, refused } from './errors.ts'
import { chargeById, invoicePayments } from './objects/money.ts'
import { listOf } from './objects/wire.ts'

const RefundParameters = z.strictObject({
  payment_intent: text(),
  amount: integer(1).optional(),
})

/** Refunds `amount`, or all that is left of the payment. */
export function refund(
  context: AccountContext,
  { payment_intent: id, amount: given }: z.output<typeof RefundParameters>,
): RefundRecord {
  const payment = find(context, 'payments', id, 'payment_intent')
  const charge = payment.attempts.at(-1)
  if (!charge || payment.status !== 'paid') throw refused('payment_not_charged', { id })
  if (isReversed(context, payment)) throw refused('charge_disputed', { id: charge.id })
  const left = leftOf(context, payment)
  const amount = given ?? left
  if (left === 0) throw refused('charge_already_refunded', { id: charge.id })
  if (amount > left) throw refused('refund_too_large', { amount, left })
  refuseUncharged(amount, payment.currency, 'amount')
  return refundPayment(context, payment, { amount, own: {} })
}

const InvoicePaymentParameters = z.strictObject({
  payment: z.strictObject({ type: z.literal('payment_intent'), payment_intent: text() }).optional(),
  invoice: text().optional(),
})

function listInvoicePayments(
  context: AccountContext,
  { payment, invoice: id }: z.output<typeof InvoicePaymentParameters>,
) {
  const invoices = all(context, 'invoices').filter(having({ id, payment: payment?.payment_intent }))
  return listOf('/v1/invoice_payments', invoices.flatMap(invoicePayments))
}

export const MONEY_ROUTES: Route[] = [
  retrieve('/v1/invoices/:id', 'invoices'),
  route('GET', '/v1/invoice_payments', InvoicePaymentParameters, listInvoicePayments),
  retrieve('/v1/payment_intents/:id', 'payments'),
  read('/v1/charges/:id', (context, id) => {
    const charge = chargeById(context, id)
    if (!charge) throw noSuch('charges', id)
    return charge
  }),
  create('/v1/refunds', RefundParameters, 'refunds', refund),
  retrieve('/v1/refunds/:id', 'refunds'),
]
