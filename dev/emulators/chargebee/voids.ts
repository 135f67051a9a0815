import { hash } from 'node:crypto'
import * as z from 'zod'
import { type AccountContext, all, find, newestFirst } from '../core/domain/context.ts'
import { removePendingLine } from '../core/domain/plan-changes.ts'
import type { PricedLine, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { type Ids, Nothing, type Route, route } from '../core/wire/routes.ts'
import { findBill, isDue } from './bills.ts'
import { notFound, wrongState } from './errors.ts'
import { invoiceObject } from './objects/money.ts'
import { complete, content } from './objects/wire.ts'

const VoidParameters = z.strictObject({ comment: text(300).optional(), void_reason_code: text(100).optional() })

/**
 * "Voids the specified invoice. Any payments must be removed from the invoice before voiding it" (apidocs.chargebee.com, invoices),
 * including pending ones. The subscription continues.
 */
function voidInvoice(context: AccountContext, _: z.output<typeof VoidParameters>, [id]: Ids) {
  const bill = findBill(context, id)
  const attempts = bill.payment ? newestFirst(context, 'attempts', { payment: bill.payment.id }) : []
  if (!isDue(context, bill) || attempts.some(({ status }) => status !== 'failed')) {
    throw wrongState('Only a due invoice without payments can be voided.')
  }
  if (bill.subscription === null) throw wrongState('The emulator voids invoices of subscriptions only.')
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

const chargeId = ({ id }: SubscriptionRecord, line: PricedLine) =>
  `li_${hash('sha256', JSON.stringify([id, line])).slice(0, 16)}`

/** Charges of plan changes that wait for the next invoice. */
const unbilledCharges = (context: AccountContext) =>
  all(context, 'subscriptions').flatMap((subscription) =>
    subscription.pendingLines.map((line) => chargeObject(subscription, line)),
  )

function chargeObject(subscription: SubscriptionRecord, line: PricedLine) {
  const { price, quantity, amount, periodStart, periodEnd } = line
  return complete('unbilled_charge', {
    id: chargeId(subscription, line),
    customer_id: subscription.customer,
    subscription_id: subscription.id,
    date_from: periodStart,
    date_to: periodEnd,
    unit_amount: price.amount,
    quantity,
    amount,
    currency_code: price.currency,
    description: price.label,
    entity_id: price.id,
    updated_at: periodStart,
  })
}

function deleteCharge(context: AccountContext, id: string) {
  const removed = removePendingLine(context, chargeId, id)
  if (!removed) throw notFound(id)
  return content({ ...chargeObject(removed.subscription, removed.line), deleted: true })
}

export const VOID_ROUTES: Route[] = [
  route('POST', '/invoices/:id+/void', VoidParameters, voidInvoice),
  route('GET', '/unbilled_charges', UnbilledParameters, (context, { subscription_id: { is }, limit }) => {
    const charges = unbilledCharges(context).filter(({ subscription_id: id }) => id === is)
    return { list: charges.slice(0, limit).map((charge) => content(charge)) }
  }),
  route('POST', '/unbilled_charges/:id/delete', Nothing, (context, _, [id]) => deleteCharge(context, id)),
]
