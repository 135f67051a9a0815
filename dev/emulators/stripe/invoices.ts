import * as z from 'zod'
import { type AccountContext, find, newestFirst, showEach } from '../core/domain/context.ts'
import type { InvoiceRecord } from '../core/domain/money-records.ts'
import { boolean, integer, text } from '../core/wire/form-fields.ts'
import { act, Nothing, type Route, read, route } from '../core/wire/routes.ts'
import { refused } from './errors.ts'
import { deletePendingItem, pendingItems } from './objects/pending-items.ts'
import { postPaymentInvoiceById } from './objects/post-payment-invoice.ts'
import { toList } from './objects/wire.ts'
import { discardUpdate, findWaiting } from './plan-changes.ts'
import { PreviewParameters, previewInvoice } from './previews.ts'

/*
 * The seller's operations on invoices. That drafts cannot be voided, and the texts of errors, come from a sandbox, as quoted in notes on
 * version 2026-08-26.dahlia in a public repository.
 */

const FinalizeParameters = z.strictObject({ auto_advance: boolean.default(true) })

/** Without `auto_advance` it is no longer charged automatically. */
function finalize(
  _: AccountContext,
  invoice: InvoiceRecord,
  { auto_advance: advances }: z.output<typeof FinalizeParameters>,
) {
  if (invoice.status !== 'draft') throw refused('invoice_is_final')
  invoice.status = 'open'
  invoice.isGivenUp = !advances
  return invoice
}

/** Voids an invoice, which is then never charged. The subscription continues, without the update that waits for the invoice. */
function voidInvoice(context: AccountContext, invoice: InvoiceRecord) {
  if (invoice.status === 'paid') throw refused('invoice_is_paid')
  if (invoice.status !== 'open') throw refused('invoice_not_open')
  const waiting = findWaiting(context, invoice)
  if (waiting) discardUpdate(context, waiting)
  invoice.status = 'void'
  invoice.isGivenUp = true
  return invoice
}

const ListParameters = z.strictObject({ subscription: text(), limit: integer(1, 100).default(10) })

const ItemParameters = z.strictObject({
  customer: text(),
  pending: boolean,
  limit: integer(1, 100).default(10),
})

export const INVOICE_ROUTES: Route[] = [
  route('GET', '/v1/invoiceitems', ItemParameters, (context, { customer, pending, limit }) => {
    const items = pending ? pendingItems(context).filter((item) => item.customer === customer) : []
    return toList('/v1/invoiceitems', items.slice(0, limit))
  }),
  route('DELETE', '/v1/invoiceitems/:id', Nothing, (context, _, [id]) => deletePendingItem(context, id)),
  route('GET', '/v1/invoices', ListParameters, (context, { subscription, limit }) => {
    find(context, 'subscriptions', subscription, 'subscription')
    const invoices = newestFirst(context, 'invoices', { subscription }).slice(0, limit)
    return toList('/v1/invoices', showEach(context, 'invoices', invoices))
  }),
  read(
    '/v1/invoices/:id',
    (context, id) => postPaymentInvoiceById(context, id) ?? context.show('invoices', find(context, 'invoices', id)),
  ),
  act('POST', '/v1/invoices/:id/finalize', FinalizeParameters, 'invoices', finalize),
  route('POST', '/v1/invoices/create_preview', PreviewParameters, previewInvoice),
  act('POST', '/v1/invoices/:id/void', Nothing, 'invoices', voidInvoice),
]
