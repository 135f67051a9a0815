import * as z from 'zod'
import { matchPath } from '../core/paths.ts'
import { find, type Ledger } from './account-context.ts'
import { findPrice } from './accounts.ts'
import { expireSession, findSession } from './checkout.ts'
import { createSession, SessionParameters } from './create-session.ts'
import { noSuch, StripeError } from './errors.ts'
import { expand } from './expand.ts'
import type { Form } from './form.ts'
import { chargeById } from './object-by-id.ts'
import { customerObject } from './objects/customer.ts'
import { eventObject } from './objects/event.ts'
import { invoiceObject, invoicePayments } from './objects/invoice.ts'
import { paymentIntentObject } from './objects/payment.ts'
import { portalSessionObject } from './objects/portal-session.ts'
import { priceObject } from './objects/price.ts'
import { refundObject } from './objects/refund.ts'
import { sessionObject } from './objects/session.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { listOf } from './objects/wire.ts'
import { integer, parseParameters, text } from './parameters.ts'
import { findPayment, RefundParameters, refund } from './payments.ts'
import { openPortal, PortalParameters } from './portal.ts'
import {
  CancelParameters,
  cancelSubscription,
  findSubscription,
  UpdateParameters,
  updateSubscription,
} from './subscriptions.ts'

/** A call that has passed validation and waits to be run against its account. */
export type Execution = (ledger: Ledger) => object

interface Route {
  method: string
  path: string
  prepare: (form: Form, id: string) => Execution
}

const Nothing = z.strictObject({})
const Expand = z.object({ expand: z.array(text()).default([]) })

const InvoicePaymentParameters = z.strictObject({
  payment: z.strictObject({ type: z.literal('payment_intent'), payment_intent: text() }).optional(),
  invoice: text().optional(),
  status: z.enum(['canceled', 'open', 'paid']).optional(),
  limit: integer(1, 100).optional(),
})

/** What the emulator has of Stripe's API; `:id` stands for one part of a path. */
const routes: Route[] = [
  route('POST', '/v1/checkout/sessions', SessionParameters, (ledger, parameters) =>
    sessionObject(createSession(ledger, parameters), ledger.url),
  ),
  route('GET', '/v1/checkout/sessions/:id', Nothing, (ledger, _, id) =>
    sessionObject(findSession(ledger, id), ledger.url),
  ),
  route('POST', '/v1/checkout/sessions/:id/expire', Nothing, (ledger, _, id) =>
    sessionObject(expireSession(ledger, id), ledger.url),
  ),
  route('GET', '/v1/subscriptions/:id', Nothing, (ledger, _, id) => subscriptionObject(findSubscription(ledger, id))),
  route('POST', '/v1/subscriptions/:id', UpdateParameters, (ledger, parameters, id) =>
    subscriptionObject(updateSubscription(ledger, parameters, id)),
  ),
  route('DELETE', '/v1/subscriptions/:id', CancelParameters, (ledger, parameters, id) =>
    subscriptionObject(cancelSubscription(ledger, parameters, id)),
  ),
  route('GET', '/v1/invoices/:id', Nothing, (ledger, _, id) =>
    invoiceObject(find(ledger, ledger.records.invoices, 'invoice', id)),
  ),
  route('GET', '/v1/invoice_payments', InvoicePaymentParameters, listInvoicePayments),
  route('GET', '/v1/payment_intents/:id', Nothing, (ledger, _, id) => paymentIntentObject(findPayment(ledger, id))),
  route('GET', '/v1/charges/:id', Nothing, (ledger, _, id) => {
    const charge = chargeById(ledger, id)
    if (!charge) throw noSuch('charge', id)
    return charge
  }),
  route('GET', '/v1/customers/:id', Nothing, (ledger, _, id) =>
    customerObject(find(ledger, ledger.records.customers, 'customer', id)),
  ),
  route('POST', '/v1/billing_portal/sessions', PortalParameters, (ledger, parameters) =>
    portalSessionObject(openPortal(ledger, parameters), ledger.url),
  ),
  route('POST', '/v1/refunds', RefundParameters, refund),
  route('GET', '/v1/refunds/:id', Nothing, (ledger, _, id) => {
    const record = find(ledger, ledger.records.refunds, 'refund', id)
    return refundObject(record, findPayment(ledger, record.payment))
  }),
  route('GET', '/v1/prices/:id', Nothing, (ledger, _, id) => {
    const found = findPrice(ledger.account, id)
    if (!found) throw noSuch('price', id)
    return priceObject({ ...found.price, currency: found.price.currency.toLowerCase() })
  }),
  route('GET', '/v1/events/:id', Nothing, (ledger, _, id) => {
    const pending = [...ledger.records.deliveries.values()].filter(({ event }) => event === id)
    return eventObject(find(ledger, ledger.records.events, 'event', id), pending.length)
  }),
]

/** Finds the route and validates the parameters; throws Stripe's 404 or 400 before anything has run. */
export function prepareCall(method: string, path: string, form: Form): Execution {
  for (const candidate of routes) {
    const ids = candidate.method === method ? matchPath(candidate.path, path) : null
    if (ids) return candidate.prepare(form, ids[0] ?? '')
  }
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`
  throw new StripeError(404, { type: 'invalid_request_error', message }, false)
}

function route<Parameters extends z.ZodType>(
  method: string,
  path: string,
  parameters: Parameters,
  run: (ledger: Ledger, parameters: z.output<Parameters>, id: string) => object,
): Route {
  const prepare = ({ expand: _, ...form }: Form, id: string, paths: string[]): Execution => {
    const given = parseParameters(parameters, form)
    return (ledger) => expand(ledger, run(ledger, given, id), paths)
  }
  return { method, path, prepare: (form, id) => prepare(form, id, parseParameters(Expand, form).expand) }
}

function listInvoicePayments(ledger: Ledger, filter: z.output<typeof InvoicePaymentParameters>): object {
  const invoices = [...ledger.records.invoices.values()].filter(({ account }) => account === ledger.account.id)
  const found = invoices
    .flatMap(invoicePayments)
    .filter(({ payment }) => !filter.payment || payment.payment_intent === filter.payment.payment_intent)
    .filter(({ invoice }) => !filter.invoice || invoice === filter.invoice)
    .filter(({ status }) => !filter.status || status === filter.status)
  return listOf('/v1/invoice_payments', found.slice(0, filter.limit))
}
