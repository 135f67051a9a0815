import * as z from 'zod'
import { all } from '../core/domain/context.ts'
import { findPage } from '../core/domain/pages.ts'
import type { Execution } from '../core/processor.ts'
import type { Form } from '../core/wire/form.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { act, prepareRoute, type Route, retrieve, route } from '../core/wire/routes.ts'
import { noSuch, refused } from './errors.ts'
import { expand } from './expand.ts'
import { eventObject } from './objects/event.ts'
import { invoicePayments } from './objects/invoice.ts'
import { chargeById } from './objects/payment.ts'
import { priceObject } from './objects/price.ts'
import { VIEWS } from './objects/views.ts'
import { listOf } from './objects/wire.ts'
import { parseParameters } from './parameters.ts'
import { RefundParameters, refund } from './refunds.ts'
import {
  CheckoutSessionParameters,
  createCheckoutSession,
  createPortalSession,
  expireSession,
  PortalParameters,
  soldAt,
} from './sessions.ts'
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

const SUBSCRIPTION = '/v1/subscriptions/:id'

/** The part of Stripe's API that the emulator has. */
const routes: Route[] = [
  route('POST', '/v1/checkout/sessions', CheckoutSessionParameters, createCheckoutSession, VIEWS.pages),
  route('GET', '/v1/checkout/sessions/:id', Nothing, (context, _, [id]) => findPage(context, id), VIEWS.pages),
  act('POST', '/v1/checkout/sessions/:id/expire', Nothing, 'pages', expireSession, VIEWS.pages),
  retrieve(SUBSCRIPTION, Nothing, 'subscriptions', VIEWS.subscriptions),
  act('POST', SUBSCRIPTION, UpdateParameters, 'subscriptions', updateSubscription, VIEWS.subscriptions),
  act('DELETE', SUBSCRIPTION, CancelParameters, 'subscriptions', cancelSubscription, VIEWS.subscriptions),
  retrieve('/v1/invoices/:id', Nothing, 'invoices', VIEWS.invoices),
  route('GET', '/v1/invoice_payments', InvoicePaymentParameters, (context, filter) => {
    const found = all(context, 'invoices')
      .flatMap(invoicePayments)
      .filter(({ payment }) => !filter.payment || payment.payment_intent === filter.payment.payment_intent)
      .filter(({ invoice }) => !filter.invoice || invoice === filter.invoice)
      .filter(({ status }) => !filter.status || status === filter.status)
    return listOf('/v1/invoice_payments', found.slice(0, filter.limit))
  }),
  retrieve('/v1/payment_intents/:id', Nothing, 'payments', VIEWS.payments),
  route('GET', '/v1/charges/:id', Nothing, (context, _, [id]) => {
    const charge = chargeById(context, id)
    if (!charge) throw noSuch('charges', id)
    return charge
  }),
  retrieve('/v1/customers/:id', Nothing, 'customers', VIEWS.customers),
  route('POST', '/v1/billing_portal/sessions', PortalParameters, createPortalSession, VIEWS.portalSessions),
  route('POST', '/v1/refunds', RefundParameters, refund, VIEWS.refunds),
  retrieve('/v1/refunds/:id', Nothing, 'refunds', VIEWS.refunds),
  route('GET', '/v1/prices/:id', Nothing, (context, _, [id]) => priceObject(soldAt(context, id).price)),
  retrieve('/v1/events/:id', Nothing, 'events', (event, { records }) =>
    eventObject(event, { pending: [...records.deliveries.values()].filter(({ event: id }) => id === event.id).length }),
  ),
]

/** Finds the route and validates the parameters; throws Stripe's 404 or 400 before anything has run. */
export function prepareCall({ method, path, body }: { method: string; path: string; body: Form }): Execution {
  const { expand: given = [], ...form } = body
  const { expand: paths } = parseParameters(Expand, { expand: given })
  const execution = prepareRoute(routes, { method, path }, (schema) => {
    const parameters = parseParameters(schema, form)
    return () => parameters
  })
  if (execution) return (context) => expand(context, execution(context), paths)
  throw refused('unknown_url', { method, path })
}
