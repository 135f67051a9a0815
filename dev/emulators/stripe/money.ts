import * as z from 'zod'
import { type AccountContext, all, find, matches, newestFirst, showEach } from '../core/domain/context.ts'
import { latestAttempt } from '../core/domain/payments.ts'
import { isReversed, refundUpTo } from '../core/domain/reversals.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { create, type Route, retrieve, route } from '../core/wire/routes.ts'
import { rejectUnsupportedCharge } from './currencies.ts'
import { refused } from './errors.ts'
import { invoicePayments } from './objects/money.ts'
import { postPaymentInvoicePayments } from './objects/post-payment-invoice.ts'
import { toList } from './objects/wire.ts'
import { metadata } from './own.ts'

const RefundParameters = z.strictObject({
  payment_intent: text(),
  amount: integer(1).optional(),
  metadata: metadata.optional(),
})
const RefundsParameters = z.strictObject({ payment_intent: text(), limit: integer(1, 100).default(10) })

/** Refunds `amount`, by default all that is left. */
export function refund(
  context: AccountContext,
  { payment_intent: id, amount, metadata }: z.output<typeof RefundParameters>,
) {
  const payment = find(context, 'payments', id, 'payment_intent')
  const charge = latestAttempt(context, id)?.id ?? ''
  if (payment.status !== 'paid') throw refused('payment_not_charged', { id })
  if (isReversed(context, payment)) throw refused('charge_disputed', { charge })
  if (amount !== undefined) rejectUnsupportedCharge(amount, payment.currency, 'amount')
  return refundUpTo(context, payment, { amount, ...(metadata && { own: { metadata } }) }, (left) =>
    refused(left === 0 ? 'charge_already_refunded' : 'refund_too_large', { charge, left, amount: amount ?? left }),
  )
}

const InvoicePaymentParameters = z.strictObject({
  payment: z.strictObject({ type: z.literal('payment_intent'), payment_intent: text() }).optional(),
  invoice: text().optional(),
})

const DisputeParameters = z.strictObject({ payment_intent: text() })

export const MONEY_ROUTES: Route[] = [
  route('GET', '/v1/invoice_payments', InvoicePaymentParameters, (context, { payment, invoice: id }) => {
    const invoices = all(context, 'invoices').filter(matches({ id, payment: payment?.payment_intent }))
    const others = id === undefined ? postPaymentInvoicePayments(context, payment?.payment_intent) : []
    return toList('/v1/invoice_payments', [...invoices.flatMap(invoicePayments), ...others])
  }),
  retrieve('/v1/payment_intents/:id', 'payments'),
  retrieve('/v1/charges/:id', 'attempts'),
  create('/v1/refunds', RefundParameters, 'refunds', refund),
  // Newest first, at most `limit` (docs.stripe.com/api/refunds/list).
  route('GET', '/v1/refunds', RefundsParameters, (context, { payment_intent: payment, limit }) => {
    const refunds = newestFirst(context, 'refunds', {
      payment: find(context, 'payments', payment, 'payment_intent').id,
    })
    return toList('/v1/refunds', showEach(context, 'refunds', refunds.slice(0, limit)), refunds.length > limit)
  }),
  retrieve('/v1/refunds/:id', 'refunds'),
  route('GET', '/v1/disputes', DisputeParameters, (context, { payment_intent: payment }) =>
    toList('/v1/disputes', showEach(context, 'disputes', newestFirst(context, 'disputes', { payment }))),
  ),
  retrieve('/v1/disputes/:id', 'disputes'),
]
