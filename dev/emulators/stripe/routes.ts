import * as z from 'zod'
import { findPrice } from '../core/domain/accounts.ts'
import { type AccountContext, all } from '../core/domain/context.ts'
import { closePage, findPage } from '../core/domain/pages.ts'
import type { Execution } from '../core/processor.ts'
import type { Form } from '../core/wire/form.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { type Ids, prepareRoute, type Route, retrieve, route } from '../core/wire/routes.ts'
import { CheckoutSessionParameters, createCheckoutSession } from './create-checkout-session.ts'
import { invalidRequest, noSuch, notRun } from './errors.ts'
import { chargeById, expand } from './expand.ts'
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
import { parseParameters } from './parameters.ts'
import { createPortalSession, PortalParameters } from './portal.ts'
import { RefundParameters, refund } from './refunds.ts'
import { CancelParameters, cancelSubscription, UpdateParameters, updateSubscription } from './subscriptions.ts'

/*
 * From a path to an object: `prepareCall` finds the route and parses the parameters, so a mistake is refused before
 * anything has run; the execution that it returns runs the route for an account; `expand` then fills in the objects
 * that the caller asked for.
 */

const Nothing = z.strictObject({})
const Expand = z.object({ expand: z.array(text()) })

const InvoicePaymentParameters = z.strictObject({
  payment: z.strictObject({ type: z.literal('payment_intent'), payment_intent: text() }).optional(),
  invoice: text().optional(),
  status: z.enum(['canceled', 'open', 'paid']).optional(),
  limit: integer(1, 100).optional(),
})

/** The part of Stripe's API that the emulator has. */
const routes: Route[] = [
  route('POST', '/v1/checkout/sessions', CheckoutSessionParameters, (context, parameters) =>
    checkoutSessionObject(createCheckoutSession(context, parameters), context),
  ),
  route('GET', '/v1/checkout/sessions/:id', Nothing, (context, _, [id]) =>
    checkoutSessionObject(findPage(context, id), context),
  ),
  route('POST', '/v1/checkout/sessions/:id/expire', Nothing, expireSession),
  retrieve('/v1/subscriptions/:id', Nothing, 'subscriptions', subscriptionObject),
  route('POST', '/v1/subscriptions/:id', UpdateParameters, (context, parameters, [id]) =>
    subscriptionObject(updateSubscription(context, parameters, id)),
  ),
  route('DELETE', '/v1/subscriptions/:id', CancelParameters, (context, parameters, [id]) =>
    subscriptionObject(cancelSubscription(context, parameters, id)),
  ),
  retrieve('/v1/invoices/:id', Nothing, 'invoices', invoiceObject),
  route('GET', '/v1/invoice_payments', InvoicePaymentParameters, listInvoicePayments),
  retrieve('/v1/payment_intents/:id', Nothing, 'payments', paymentIntentObject),
  route('GET', '/v1/charges/:id', Nothing, (context, _, [id]) => {
    const charge = chargeById(context, id)
    if (!charge) throw noSuch('charges', id)
    return charge
  }),
  retrieve('/v1/customers/:id', Nothing, 'customers', customerObject),
  route('POST', '/v1/billing_portal/sessions', PortalParameters, (context, parameters) =>
    portalSessionObject(createPortalSession(context, parameters), context.url),
  ),
  route('POST', '/v1/refunds', RefundParameters, (context, parameters) =>
    refundObject(refund(context, parameters), context),
  ),
  retrieve('/v1/refunds/:id', Nothing, 'refunds', refundObject),
  route('GET', '/v1/prices/:id', Nothing, (context, _, [id]) => {
    const found = findPrice(context.account, id)
    if (!found) throw noSuch('prices', id)
    return priceObject({ ...found.price, currency: found.price.currency.toLowerCase() })
  }),
  retrieve('/v1/events/:id', Nothing, 'events', (event, { records }) =>
    eventObject(event, { pending: [...records.deliveries.values()].filter(({ event: id }) => id === event.id).length }),
  ),
]

/** Finds the route and validates the parameters; throws Stripe's 404 or 400 before anything has run. */
export function prepareCall(call: { method: string; path: string; body: Form }): Execution {
  const { expand: given = [], ...form } = call.body
  const { expand: paths } = parseParameters(Expand, { expand: given })
  const execution = prepareRoute(routes, call, (schema) => {
    const parameters = parseParameters(schema, form)
    return () => parameters
  })
  if (execution) return (context) => expand(context, execution(context), paths)
  throw notRun(
    404,
    `Unrecognized request URL (${call.method}: ${call.path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
  )
}

function expireSession(context: AccountContext, _: unknown, [id]: Ids): object {
  const page = findPage(context, id)
  if (page.status !== 'open') {
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${page.status}\`.`,
    )
  }
  return checkoutSessionObject(closePage(context, page), context)
}

function listInvoicePayments(context: AccountContext, filter: z.output<typeof InvoicePaymentParameters>): object {
  const found = all(context, 'invoices')
    .flatMap(invoicePayments)
    .filter(({ payment }) => !filter.payment || payment.payment_intent === filter.payment.payment_intent)
    .filter(({ invoice }) => !filter.invoice || invoice === filter.invoice)
    .filter(({ status }) => !filter.status || status === filter.status)
  return listOf('/v1/invoice_payments', found.slice(0, filter.limit))
}
