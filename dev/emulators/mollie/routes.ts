import type * as z from 'zod'
import { matchPath } from '../core/paths.ts'
import type { AccountContext } from './account-context.ts'
import { CustomerBody, createCustomer, findCustomer } from './customers.ts'
import { MollieError } from './errors.ts'
import { mandatesOf } from './mandates.ts'
import { customerObject } from './objects/customer.ts'
import { listOf } from './objects/list.ts'
import { mandateObject } from './objects/mandate.ts'
import { paymentObject } from './objects/payment.ts'
import { chargebackObject, refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { Nothing, PageQuery, parseBody, parseQuery, readJson } from './parameters.ts'
import { cancelPayment, createPayment, findPayment, PaymentBody, PaymentUpdate, updatePayment } from './payments.ts'
import { chargebacksOf, RefundBody, refund, refundsOf } from './refunds.ts'
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

/** A call whose route is found, ready to run for an account. */
export type Execution = (context: AccountContext) => object

/** The ids in a path, in order. Where a pattern has fewer than two, the others are empty and its route ignores them. */
type Ids = [string, string]

interface Given {
  query: string
  body: string
}

interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  run: (context: AccountContext, given: Given, ids: Ids) => object
}

/** The part of Mollie's API that the emulator has. `:id` stands for one part of a path. */
const routes: Route[] = [
  post('/v2/customers', CustomerBody, (context, body) => customerObject(createCustomer(context, body), context.url)),
  get('/v2/customers/:id', (context, [id]) => customerObject(findCustomer(context, id), context.url)),
  list('/v2/customers/:id/mandates', 'mandates', (context, [id]) =>
    mandatesOf(context, findCustomer(context, id)).map((mandate) => mandateObject(context, mandate)),
  ),
  post('/v2/customers/:id/subscriptions', SubscriptionBody, (context, body, [id]) =>
    subscriptionObject(createSubscription(context, body, id), context.url),
  ),
  list('/v2/customers/:id/subscriptions', 'subscriptions', (context, [id]) =>
    subscriptionsOf(context, findCustomer(context, id)).map((row) => subscriptionObject(row, context.url)),
  ),
  get('/v2/customers/:id/subscriptions/:id', (context, [customer, id]) =>
    subscriptionObject(findOf(context, customer, id), context.url),
  ),
  remove('/v2/customers/:id/subscriptions/:id', (context, [customer, id]) =>
    subscriptionObject(cancelSubscription(context, customer, id), context.url),
  ),
  list('/v2/customers/:id/subscriptions/:id/payments', 'payments', (context, [customer, id]) =>
    paymentsOf(context, findOf(context, customer, id)).map((payment) => paymentObject(context, payment)),
  ),
  post('/v2/payments', PaymentBody, (context, body) => paymentObject(context, createPayment(context, body))),
  get('/v2/payments/:id', (context, [id]) => paymentObject(context, findPayment(context, id))),
  patch('/v2/payments/:id', PaymentUpdate, (context, body, [id]) =>
    paymentObject(context, updatePayment(context, body, id)),
  ),
  remove('/v2/payments/:id', (context, [id]) => paymentObject(context, cancelPayment(context, id))),
  post('/v2/payments/:id/refunds', RefundBody, (context, body, [id]) =>
    refundObject(refund(context, body, id), context.url),
  ),
  list('/v2/payments/:id/refunds', 'refunds', (context, [id]) =>
    refundsOf(context, findPayment(context, id).id).map((row) => refundObject(row, context.url)),
  ),
  list('/v2/payments/:id/chargebacks', 'chargebacks', (context, [id]) =>
    chargebacksOf(context, findPayment(context, id).id).map((row) => chargebackObject(row, context.url)),
  ),
]

/** Finds the route of a call. Throws Mollie's 404 if there is none. */
export function prepareCall(method: string, path: string, given: Given): Execution {
  for (const route of routes) {
    const ids = route.method === method ? matchPath(route.path, path) : null
    if (ids) return (context) => route.run(context, given, [ids[0] ?? '', ids[1] ?? ''])
  }
  throw new MollieError(404, `The resource you requested does not exist: ${method} ${path}`)
}

function get(path: string, find: (context: AccountContext, ids: Ids) => object): Route {
  const run: Route['run'] = (context, { query }, ids) => {
    parseQuery(Nothing, query)
    return find(context, ids)
  }
  return { method: 'GET', path, run }
}

function list(path: string, name: string, find: (context: AccountContext, ids: Ids) => { id: string }[]): Route {
  const run: Route['run'] = (context, { query }, ids) => {
    const page = parseQuery(PageQuery, query)
    const address = ids.reduce((address, id) => address.replace(':id', id), `${context.url}${path}`)
    return listOf(name, address, find(context, ids), page)
  }
  return { method: 'GET', path, run }
}

type Change<Body extends z.ZodType> = (context: AccountContext, body: z.output<Body>, ids: Ids) => object

function post<Body extends z.ZodType>(path: string, schema: Body, make: Change<Body>): Route {
  return change('POST', path, schema, make)
}

function patch<Body extends z.ZodType>(path: string, schema: Body, update: Change<Body>): Route {
  return change('PATCH', path, schema, update)
}

function change<Body extends z.ZodType>(method: Route['method'], path: string, schema: Body, run: Change<Body>): Route {
  return { method, path, run: (context, { body }, ids) => run(context, parseBody(schema, readJson(body)), ids) }
}

function remove(path: string, end: (context: AccountContext, ids: Ids) => object): Route {
  const run: Route['run'] = (context, { body }, ids) => {
    parseBody(Nothing, readJson(body))
    return end(context, ids)
  }
  return { method: 'DELETE', path, run }
}
