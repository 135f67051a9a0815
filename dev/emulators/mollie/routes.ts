import * as z from 'zod'
import { newCustomer } from '../core/domain/checkout.ts'
import { type AccountContext, find } from '../core/domain/context.ts'
import { mandatesOf } from '../core/domain/mandates.ts'
import { disputesOf, refundsOf } from '../core/domain/reversals.ts'
import type { Execution } from '../core/processor.ts'
import type { HttpRequest } from '../core/server.ts'
import { optional, readJson } from '../core/wire/json-fields.ts'
import { type Ids, prepareRoute, type Route, retrieve, route } from '../core/wire/routes.ts'
import { MollieError, noSuch } from './errors.ts'
import { customerObject } from './objects/customer.ts'
import { listOf } from './objects/list.ts'
import { mandateObject } from './objects/mandate.ts'
import { paymentObject } from './objects/payment.ts'
import { chargebackObject, refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { Metadata } from './own.ts'
import { locale, Nothing, PageQuery, parseBody, parseQuery } from './parameters.ts'
import { cancelPayment, createPayment, findPayment, PaymentBody, PaymentUpdate, updatePayment } from './payments.ts'
import { RefundBody, refund } from './refunds.ts'
import {
  cancelSubscription,
  createSubscription,
  findOf,
  paymentsOf,
  SubscriptionBody,
  subscriptionsOf,
} from './subscriptions.ts'

/*
 * From a path to an object: `prepareCall` finds the route; the execution that it returns parses the query or the body
 * and runs the route for an account. Unlike Stripe, Mollie stores even a parse error under the idempotency key, so
 * parsing is part of the run.
 */

const CustomerBody = z.strictObject({
  name: optional(z.string().max(255)),
  email: optional(z.email()),
  locale: optional(locale),
  metadata: optional(Metadata),
})

/** The part of Mollie's API that the emulator has. */
const routes: Route[] = [
  route('POST', '/v2/customers', CustomerBody, (context, { name, email, ...own }) =>
    customerObject(newCustomer(context, { name, email, own }), context),
  ),
  retrieve('/v2/customers/:id', Nothing, 'customers', customerObject),
  list('/v2/customers/:id/mandates', 'mandates', (context, [id]) =>
    mandatesOf(context, find(context, 'customers', id).id).map((mandate) => mandateObject(mandate, context)),
  ),
  route('POST', '/v2/customers/:id/subscriptions', SubscriptionBody, (context, body, [id]) =>
    subscriptionObject(createSubscription(context, body, id), context),
  ),
  list('/v2/customers/:id/subscriptions', 'subscriptions', (context, [id]) =>
    subscriptionsOf(context, find(context, 'customers', id).id).map((row) => subscriptionObject(row, context)),
  ),
  route('GET', '/v2/customers/:id/subscriptions/:id', Nothing, (context, _, [customer, id]) =>
    subscriptionObject(findOf(context, customer, id), context),
  ),
  route('DELETE', '/v2/customers/:id/subscriptions/:id', Nothing, (context, _, [customer, id]) =>
    subscriptionObject(cancelSubscription(context, customer, id), context),
  ),
  list('/v2/customers/:id/subscriptions/:id/payments', 'payments', (context, [customer, id]) =>
    paymentsOf(context, findOf(context, customer, id)).map((payment) => paymentObject(payment, context)),
  ),
  route('POST', '/v2/payments', PaymentBody, (context, body) => paymentObject(createPayment(context, body), context)),
  route('GET', '/v2/payments/:id', Nothing, (context, _, [id]) => paymentObject(findPayment(context, id), context)),
  route('PATCH', '/v2/payments/:id', PaymentUpdate, (context, body, [id]) =>
    paymentObject(updatePayment(context, body, id), context),
  ),
  route('DELETE', '/v2/payments/:id', Nothing, (context, _, [id]) =>
    paymentObject(cancelPayment(context, id), context),
  ),
  route('POST', '/v2/payments/:id/refunds', RefundBody, (context, body, [id]) =>
    refundObject(refund(context, body, findPayment(context, id)), context),
  ),
  list('/v2/payments/:id/refunds', 'refunds', (context, [id]) =>
    refundsOf(context, findPayment(context, id)).map((row) => refundObject(row, context)),
  ),
  route('GET', '/v2/payments/:id/refunds/:id', Nothing, (context, _, [payment, id]) => {
    const found = find(context, 'refunds', id)
    if (found.payment !== payment) throw noSuch('refunds', id)
    return refundObject(found, context)
  }),
  list('/v2/payments/:id/chargebacks', 'chargebacks', (context, [id]) =>
    disputesOf(context, findPayment(context, id)).map((row) => chargebackObject(row, context)),
  ),
]

/** Finds the route of a call. Throws Mollie's 404 if there is none. */
export function prepareCall(
  { method, path }: { method: string; path: string },
  { query, body }: HttpRequest,
): Execution {
  const execution = prepareRoute(routes, { method, path }, (schema) => () => {
    return method === 'GET' ? parseQuery(schema, query) : parseBody(schema, readJson(body))
  })
  if (execution) return execution
  throw new MollieError(404, `The resource you requested does not exist: ${method} ${path}`)
}

function list(path: string, name: string, rowsOf: (context: AccountContext, ids: Ids) => { id: string }[]): Route {
  return route('GET', path, PageQuery, (context, page, ids) => {
    const address = ids.reduce((address, id) => address.replace(':id', id), `${context.url}${path}`)
    return listOf(name, address, rowsOf(context, ids), page)
  })
}
