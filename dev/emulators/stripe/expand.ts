import type { AccountContext } from '../core/domain/context.ts'
import { paymentOfAttempt } from '../core/domain/payments.ts'
import { refundsOf } from '../core/domain/reversals.ts'
import { expander } from '../core/wire/expand.ts'
import { refused } from './errors.ts'
import { chargeById, invoicePayments, refundObject } from './objects/money.ts'
import { checkoutLineItems } from './objects/selling.ts'
import { listOf } from './objects/wire.ts'

const LEVELS = 4

/** Fills in the objects and the lists that a call asks for with `expand`. */
export const expand = expander({
  levels: LEVELS,
  tooDeep: () => refused('too_deep', { levels: LEVELS }),
  notExpandable: (path) => refused('not_expandable', { path }),
  besides: chargeById,
  included: includedList,
})

/** A list that Stripe adds to an object only if `expand` asks for it; null if the object has no such list. */
function includedList(context: AccountContext, id: string, field: string): object | null {
  const session = context.records.pages.get(id)
  if (session && field === 'line_items') return checkoutLineItems(session)
  const invoice = context.records.invoices.get(id)
  if (invoice && field === 'payments') return listOf('/v1/invoice_payments', invoicePayments(invoice))
  const payment = paymentOfAttempt(context, id)
  if (!payment || field !== 'refunds') return null
  const refunds = refundsOf(context, payment).map((refund) => refundObject(refund, context))
  return listOf(`/v1/charges/${id}/refunds`, refunds)
}
