import * as z from 'zod'
import { matchPath } from '../core/paths.ts'
import { type AccountContext, find } from './account-context.ts'
import { findPrice } from './accounts.ts'
import { expireSession, findSession } from './checkout.ts'
import { CheckoutSessionParameters, createCheckoutSession } from './create-checkout-session.ts'
import { noSuch, StripeError } from './errors.ts'
import { expand } from './expand.ts'
import type { Form } from './form.ts'
import { chargeById } from './object-by-id.ts'
import { checkoutSessionObject } from './objects/checkout-session.ts'
import { customerObject } from './objects/customer.ts'
import { eventObject } from './objects/event.ts'
import { invoiceObject, invoicePayments } from './objects/invoice.ts'
import { paymentIntentObject } from './objects/payment.ts'
import { portalSessionObject } from './objects/portal-session.ts'
import { priceObject } from './objects/price.ts'
import { refundObject } from './objects/refund.ts'
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

/*
 * From a path to an object: `prepareCall` finds the route and parses the parameters, so a mistake is refused before
 * anything has run; the execution that it returns runs the route for an account; `expand` then fills in the objects
 * that the caller asked for.
 */

/** A call whose parameters are valid, ready to run for an account. */
export type Execution = (context: AccountContext) => object

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

/** The part of Stripe's API that the emulator has. `:id` stands for one part of a path. */
const routes: Route[] = [
  route('POST', '/v1/checkout/sessions', CheckoutSessionParameters, (context, parameters) =>
    checkoutSessionObject(createCheckoutSession(context, parameters), context.url),
  ),
  route('GET', '/v1/checkout/sessions/:id', Nothing, (context, _, id) =>
    checkoutSessionObject(findSession(context, id), context.url),
  ),
  route('POST', '/v1/checkout/sessions/:id/expire', Nothing, (context, _, id) =>
    checkoutSessionObject(expireSession(context, id), context.url),
  ),
  route('GET', '/v1/subscriptions/:id', Nothing, (context, _, id) => subscriptionObject(findSubscription(context, id))),
  route('POST', '/v1/subscriptions/:id', UpdateParameters, (context, parameters, id) =>
    subscriptionObject(updateSubscription(context, parameters, id)),
  ),
  route('DELETE', '/v1/subscriptions/:id', CancelParameters, (context, parameters, id) =>
    subscriptionObject(cancelSubscription(context, parameters, id)),
  ),
  route('GET', '/v1/invoices/:id', Nothing, (context, _, id) =>
    invoiceObject(find(context, context.records.invoices, 'invoice', id)),
  ),
  route('GET', '/v1/invoice_payments', InvoicePaymentParameters, listInvoicePayments),
  route('GET', '/v1/payment_intents/:id', Nothing, (context, _, id) => paymentIntentObject(findPayment(context, id))),
  route('GET', '/v1/charges/:id', Nothing, (context, _, id) => {
    const charge = chargeById(context, id)
    if (!charge) throw noSuch('charge', id)
    return charge
  }),
  route('GET', '/v1/customers/:id', Nothing, (context, _, id) =>
    customerObject(find(context, context.records.customers, 'customer', id)),
  ),
  route('POST', '/v1/billing_portal/sessions', PortalParameters, (context, parameters) =>
    portalSessionObject(openPortal(context, parameters), context.url),
  ),
  route('POST', '/v1/refunds', RefundParameters, refund),
  route('GET', '/v1/refunds/:id', Nothing, (context, _, id) => {
    const record = find(context, context.records.refunds, 'refund', id)
    return refundObject(record, findPayment(context, record.payment))
  }),
  route('GET', '/v1/prices/:id', Nothing, (context, _, id) => {
    const found = findPrice(context.account, id)
    if (!found) throw noSuch('price', id)
    return priceObject({ ...found.price, currency: found.price.currency.toLowerCase() })
  }),
  route('GET', '/v1/events/:id', Nothing, (context, _, id) => {
    const pending = [...context.records.deliveries.values()].filter(({ event }) => event === id)
    return eventObject(find(context, context.records.events, 'event', id), pending.length)
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
  run: (context: AccountContext, parameters: z.output<Parameters>, id: string) => object,
): Route {
  const prepare = ({ expand: _, ...form }: Form, id: string, paths: string[]): Execution => {
    const given = parseParameters(parameters, form)
    return (context) => expand(context, run(context, given, id), paths)
  }
  return { method, path, prepare: (form, id) => prepare(form, id, parseParameters(Expand, form).expand) }
}

function listInvoicePayments(context: AccountContext, filter: z.output<typeof InvoicePaymentParameters>): object {
  const invoices = [...context.records.invoices.values()].filter(({ account }) => account === context.account.id)
  const found = invoices
    .flatMap(invoicePayments)
    .filter(({ payment }) => !filter.payment || payment.payment_intent === filter.payment.payment_intent)
    .filter(({ invoice }) => !filter.invoice || invoice === filter.invoice)
    .filter(({ status }) => !filter.status || status === filter.status)
  return listOf('/v1/invoice_payments', found.slice(0, filter.limit))
}
