import * as z from 'zod'
import { type AccountContext, find, newestOf } from '../core/domain/context.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { type Ids, type Route, route } from '../core/wire/routes.ts'
import { findBill, isDue } from './bills.ts'
import { wrongState } from './errors.ts'
import { invoiceObject } from './objects/money.ts'
import { content } from './objects/wire.ts'

const VoidParameters = z.strictObject({ comment: text(300).optional(), void_reason_code: text(100).optional() })

/**
 * "Voids the specified invoice. Any payments must be removed from the invoice before voiding it" (apidocs.chargebee.com, invoices):
 * also one that is on its way. A subscription goes on.
 */
function voidInvoice(context: AccountContext, _: z.output<typeof VoidParameters>, [id]: Ids) {
  const bill = findBill(context, id)
  const attempts = bill.payment ? newestOf(context, 'attempts', { payment: bill.payment.id }) : []
  if (!isDue(context, bill) || attempts.some(({ status }) => status !== 'failed')) {
    throw wrongState('Only an invoice without payments that is due can be voided.')
  }
  if (bill.subscription === null) throw wrongState('The emulator voids invoices of subscriptions alone.')
  const invoice = find(context, 'invoices', bill.id)
  invoice.status = 'void'
  invoice.isGivenUp = true
  invoice.own = { ...invoice.own, isVoided: true }
  return content(invoiceObject(findBill(context, id), context))
}

const UnbilledParameters = z.strictObject({
  subscription_id: z.strictObject({ is: text(50) }),
  limit: integer(1, 100).default(10),
})

export const VOID_ROUTES: Route[] = [
  route('POST', '/invoices/:id+/void', VoidParameters, voidInvoice),
  // Nothing waits for the next invoice: changes of plan are charged at once.
  route('GET', '/unbilled_charges', UnbilledParameters, () => ({ list: [] })),
]
