import * as z from 'zod'
import { newCustomer } from '../core/checkout.ts'
import { type AccountContext, find } from '../core/context.ts'
import { mandatesOf } from '../core/mandates.ts'
import type { Execution } from '../core/processor.ts'
import { disputesOf, refundsOf } from '../core/reversals.ts'
import { type Route, runRoute } from '../core/routes.ts'
import { MollieError, noSuch } from './errors.ts'
import { customerObject } from './objects/customer.ts'
import { listOf } from './objects/list.ts'
import { mandateObject } from './objects/mandate.ts'
import { paymentObject } from './objects/payment.ts'
import { chargebackObject, refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { Metadata } from './own.ts'
import { locale, Nothing, optional, PageQuery, parseBody, parseQuery, readJson } from './parameters.ts'
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

/** The ids in a path, in order. Where a pattern has fewer than two, the others are empty and its route ignores them. */
type Ids = [string, string]

interface Given {
  query: string
  body: string
}

const CustomerBody = z.strictObject({
  name: optional(z.string().max(255)),
  email: optional(z.email()),
  locale: optional(locale),
  metadata: optional(Metadata),
})

/** The part of Mollie's API that the emulator has. */
const routes: Route<Given, Execution>[] = [
  change('POST', '/v2/customers', CustomerBody, (context, { name, email, ...own }) =>
    customerObject(newCustomer(context, { name, email, own }), context),
  ),
  get('/v2/customers/:id', (context, [id]) => customerObject(find(context, 'customers', id), context)),
  list('/v2/customers/:id/mandates', 'mandates', (context, [id]) =>
    mandatesOf(context, find(context, 'customers', id).id).map((mandate) => mandateObject(mandate, context)),
  ),
  change('POST', '/v2/customers/:id/subscriptions', SubscriptionBody, (context, body, [id]) =>
    subscriptionObject(createSubscription(context, body, id), context),
  ),
  list('/v2/customers/:id/subscriptions', 'subscriptions', (context, [id]) =>
    subscriptionsOf(context, find(context, 'customers', id).id).map((row) => subscriptionObject(row, context)),
  ),
  get('/v2/customers/:id/subscriptions/:id', (context, [customer, id]) =>
    subscriptionObject(findOf(context, customer, id), context),
  ),
  remove('/v2/customers/:id/subscriptions/:id', (context, [customer, id]) =>
    subscriptionObject(cancelSubscription(context, customer, id), context),
  ),
  list('/v2/customers/:id/subscriptions/:id/payments', 'payments', (context, [customer, id]) =>
    paymentsOf(context, findOf(context, customer, id)).map((payment) => paymentObject(payment, context)),
  ),
  change('POST', '/v2/payments', PaymentBody, (context, body) => paymentObject(createPayment(context, body), context)),
  get('/v2/payments/:id', (context, [id]) => paymentObject(findPayment(context, id), context)),
  change('PATCH', '/v2/payments/:id', PaymentUpdate, (context, body, [id]) =>
    paymentObject(updatePayment(context, body, id), context),
  ),
  remove('/v2/payments/:id', (context, [id]) => paymentObject(cancelPayment(context, id), context)),
  change('POST', '/v2/payments/:id/refunds', RefundBody, (context, body, [id]) =>
    refundObject(refund(context, body, findPayment(context, id)), context),
  ),
  list('/v2/payments/:id/refunds', 'refunds', (context, [id]) =>
    refundsOf(context, findPayment(context, id)).map((row) => refundObject(row, context)),
  ),
  get('/v2/payments/:id/refunds/:id', (context, [payment, id]) => {
    const found = find(context, 'refunds', id)
    if (found.payment !== payment) throw noSuch('refunds', id)
    return refundObject(found, context)
  }),
  list('/v2/payments/:id/chargebacks', 'chargebacks', (context, [id]) =>
    disputesOf(context, findPayment(context, id)).map((row) => chargebackObject(row, context)),
  ),
]

/** Finds the route of a call. Throws Mollie's 404 if there is none. */
export function prepareCall(call: { method: string; path: string }, given: Given): Execution {
  const execution = runRoute(routes, call, given)
  if (execution) return execution
  throw new MollieError(404, `The resource you requested does not exist: ${call.method} ${call.path}`)
}

function get(path: string, show: (context: AccountContext, ids: Ids) => object): Route<Given, Execution> {
  const run =
    ({ query }: Given, ids: Ids) =>
    (context: AccountContext) => {
      parseQuery(Nothing, query)
      return show(context, ids)
    }
  return { method: 'GET', path, run }
}

function list(
  path: string,
  name: string,
  rowsOf: (context: AccountContext, ids: Ids) => { id: string }[],
): Route<Given, Execution> {
  const run =
    ({ query }: Given, ids: Ids) =>
    (context: AccountContext) => {
      const page = parseQuery(PageQuery, query)
      const address = ids.reduce((address, id) => address.replace(':id', id), `${context.url}${path}`)
      return listOf(name, address, rowsOf(context, ids), page)
    }
  return { method: 'GET', path, run }
}

function change<Body extends z.ZodType>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  schema: Body,
  apply: (context: AccountContext, body: z.output<Body>, ids: Ids) => object,
): Route<Given, Execution> {
  const run =
    ({ body }: Given, ids: Ids) =>
    (context: AccountContext) =>
      apply(context, parseBody(schema, readJson(body)), ids)
  return { method, path, run }
}

function remove(path: string, end: (context: AccountContext, ids: Ids) => object): Route<Given, Execution> {
  return change('DELETE', path, Nothing, (context, _, ids) => end(context, ids))
}
