import type * as z from 'zod'
import { matchPath } from '../core/paths.ts'
import type { Ledger } from './account-context.ts'
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

/** A call that waits to be run against its account. */
export type Execution = (ledger: Ledger) => object

/** The ids of a path; a pattern has as many as its run takes. */
type Ids = [string, string]

interface Given {
  query: string
  body: string
}

interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  run: (ledger: Ledger, given: Given, ids: Ids) => object
}

/** What the emulator has of Mollie's API; `:id` stands for one part of a path. */
const routes: Route[] = [
  post('/v2/customers', CustomerBody, (ledger, body) => customerObject(createCustomer(ledger, body), ledger.url)),
  get('/v2/customers/:id', (ledger, [id]) => customerObject(findCustomer(ledger, id), ledger.url)),
  list('/v2/customers/:id/mandates', 'mandates', (ledger, [id]) =>
    mandatesOf(ledger, findCustomer(ledger, id)).map((mandate) => mandateObject(ledger, mandate)),
  ),
  post('/v2/customers/:id/subscriptions', SubscriptionBody, (ledger, body, [id]) =>
    subscriptionObject(createSubscription(ledger, body, id), ledger.url),
  ),
  list('/v2/customers/:id/subscriptions', 'subscriptions', (ledger, [id]) =>
    subscriptionsOf(ledger, findCustomer(ledger, id)).map((row) => subscriptionObject(row, ledger.url)),
  ),
  get('/v2/customers/:id/subscriptions/:id', (ledger, [customer, id]) =>
    subscriptionObject(findOf(ledger, customer, id), ledger.url),
  ),
  remove('/v2/customers/:id/subscriptions/:id', (ledger, [customer, id]) =>
    subscriptionObject(cancelSubscription(ledger, customer, id), ledger.url),
  ),
  list('/v2/customers/:id/subscriptions/:id/payments', 'payments', (ledger, [customer, id]) =>
    paymentsOf(ledger, findOf(ledger, customer, id)).map((payment) => paymentObject(ledger, payment)),
  ),
  post('/v2/payments', PaymentBody, (ledger, body) => paymentObject(ledger, createPayment(ledger, body))),
  get('/v2/payments/:id', (ledger, [id]) => paymentObject(ledger, findPayment(ledger, id))),
  patch('/v2/payments/:id', PaymentUpdate, (ledger, body, [id]) =>
    paymentObject(ledger, updatePayment(ledger, body, id)),
  ),
  remove('/v2/payments/:id', (ledger, [id]) => paymentObject(ledger, cancelPayment(ledger, id))),
  post('/v2/payments/:id/refunds', RefundBody, (ledger, body, [id]) =>
    refundObject(refund(ledger, body, id), ledger.url),
  ),
  list('/v2/payments/:id/refunds', 'refunds', (ledger, [id]) =>
    refundsOf(ledger, findPayment(ledger, id).id).map((row) => refundObject(row, ledger.url)),
  ),
  list('/v2/payments/:id/chargebacks', 'chargebacks', (ledger, [id]) =>
    chargebacksOf(ledger, findPayment(ledger, id).id).map((row) => chargebackObject(row, ledger.url)),
  ),
]

/** Finds the route; throws Mollie's 404 where there is none. What the call brings is read when it runs. */
export function prepareCall(method: string, path: string, given: Given): Execution {
  for (const route of routes) {
    const ids = route.method === method ? matchPath(route.path, path) : null
    if (ids) return (ledger) => route.run(ledger, given, [ids[0] ?? '', ids[1] ?? ''])
  }
  throw new MollieError(404, `The resource you requested does not exist: ${method} ${path}`)
}

function get(path: string, find: (ledger: Ledger, ids: Ids) => object): Route {
  const run: Route['run'] = (ledger, { query }, ids) => {
    parseQuery(Nothing, query)
    return find(ledger, ids)
  }
  return { method: 'GET', path, run }
}

function list(path: string, name: string, find: (ledger: Ledger, ids: Ids) => { id: string }[]): Route {
  const run: Route['run'] = (ledger, { query }, ids) => {
    const page = parseQuery(PageQuery, query)
    const address = ids.reduce((address, id) => address.replace(':id', id), `${ledger.url}${path}`)
    return listOf(name, address, find(ledger, ids), page)
  }
  return { method: 'GET', path, run }
}

type Change<Body extends z.ZodType> = (ledger: Ledger, body: z.output<Body>, ids: Ids) => object

function post<Body extends z.ZodType>(path: string, schema: Body, make: Change<Body>): Route {
  return change('POST', path, schema, make)
}

function patch<Body extends z.ZodType>(path: string, schema: Body, update: Change<Body>): Route {
  return change('PATCH', path, schema, update)
}

function change<Body extends z.ZodType>(method: Route['method'], path: string, schema: Body, run: Change<Body>): Route {
  return { method, path, run: (ledger, { body }, ids) => run(ledger, parseBody(schema, readJson(body)), ids) }
}

function remove(path: string, end: (ledger: Ledger, ids: Ids) => object): Route {
  const run: Route['run'] = (ledger, { body }, ids) => {
    parseBody(Nothing, readJson(body))
    return end(ledger, ids)
  }
  return { method: 'DELETE', path, run }
}
