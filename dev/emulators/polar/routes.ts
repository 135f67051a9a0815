import type * as z from 'zod'
import type { RecordedCall } from '../core/calls.ts'
import { type AccountContext, accountRecord, all, find } from '../core/domain/context.ts'
import { findPage } from '../core/domain/pages.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import type { Execution } from '../core/processor.ts'
import type { HttpRequest } from '../core/server.ts'
import { prepareRoute, type Route, retrieve, route } from '../core/wire/routes.ts'
import { CheckoutBody, createCheckout } from './checkouts.ts'
import { CustomerBody, createCustomer, findByExternalId } from './customers.ts'
import { forbidden, invalid, PolarError } from './errors.ts'
import { checkoutObject } from './objects/checkout.ts'
import { customerObject } from './objects/customer.ts'
import { orderObject } from './objects/order.ts'
import { refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { allOrders, findOrder } from './orders.ts'
import { customerOwn, settingsOwn } from './own.ts'
import { ListQuery, Nothing, pageOf, parserOf, uuid } from './parameters.ts'
import { PortalBody, portalObject } from './portal.ts'
import { createRefund, RefundBody } from './refunds.ts'
import { revoke, SubscriptionBody, updateSubscription } from './subscriptions.ts'

type Scope = `${string}:${'read' | 'write'}`
type Query = z.output<typeof ListQuery>

/** A route that a token needs one of these scopes for. */
const needs = (scopes: Scope[], made: Route): Route => ({
  ...made,
  prepare(parse, ids) {
    const execution = made.prepare(parse, ids)
    return (context) => {
      const { lackingScopes } = settingsOwn(accountRecord(context.records, context.account.id))
      if (scopes.every((scope) => lackingScopes.includes(scope))) {
        throw forbidden(
          'insufficient_scope',
          'The request requires higher privileges than provided by the access token.',
        )
      }
      for (const id of ids) if (!uuid.safeParse(id).success) throw notUuid(id)
      return execution(context)
    }
  },
})

const notUuid = (id: string) => invalid(['path', 'id'], 'Input should be a valid UUID', id, 'uuid_parsing')

/** What only reads takes either scope. */
const readOrWrite = (what: string): Scope[] => [`${what}:read`, `${what}:write`]

/** The part of Polar's API that the emulator has. */
const routes: Route[] = [
  needs(
    ['checkouts:write'],
    route('POST', '/v1/checkouts/', CheckoutBody, (context, body) =>
      checkoutObject(createCheckout(context, body), context),
    ),
  ),
  needs(
    readOrWrite('checkouts'),
    route('GET', '/v1/checkouts/:id', Nothing, (context, _, [id]) => checkoutObject(findPage(context, id), context)),
  ),
  needs(
    readOrWrite('subscriptions'),
    list('/v1/subscriptions/', (context) =>
      all(context, 'subscriptions')
        .toReversed()
        .map((each) => subscriptionObject(each, context)),
    ),
  ),
  needs(readOrWrite('subscriptions'), retrieve('/v1/subscriptions/:id', Nothing, 'subscriptions', subscriptionObject)),
  needs(
    ['subscriptions:write'],
    route('PATCH', '/v1/subscriptions/:id', SubscriptionBody, (context, body, [id]) =>
      subscriptionObject(updateSubscription(context, body, id), context),
    ),
  ),
  needs(
    ['subscriptions:write'],
    route('DELETE', '/v1/subscriptions/:id', Nothing, (context, _, [id]) =>
      subscriptionObject(revoke(context, find(context, 'subscriptions', id)), context),
    ),
  ),
  needs(
    ['orders:read'],
    list('/v1/orders/', (context) => allOrders(context).map((order) => orderObject(order, context))),
  ),
  needs(
    ['orders:read'],
    route('GET', '/v1/orders/:id', Nothing, (context, _, [id]) => orderObject(findOrder(context, id), context)),
  ),
  needs(
    readOrWrite('refunds'),
    list('/v1/refunds/', (context) =>
      all(context, 'refunds')
        .toReversed()
        .map((each) => refundObject(each, context)),
    ),
  ),
  needs(
    ['refunds:write'],
    route('POST', '/v1/refunds/', RefundBody, (context, body) => refundObject(createRefund(context, body), context)),
  ),
  needs(
    ['customers:write'],
    route('POST', '/v1/customers/', CustomerBody, (context, body) => customerObject(createCustomer(context, body))),
  ),
  needs(readOrWrite('customers'), retrieve('/v1/customers/:id', Nothing, 'customers', customerObject)),
  needs(
    ['customer_sessions:write'],
    route('POST', '/v1/customer-sessions/', PortalBody, (context, body) => {
      const { id: customer } =
        'customer_id' in body
          ? find(context, 'customers', body.customer_id, 'customer_id')
          : findByExternalId(context, body.external_customer_id)
      return portalObject(openPortal(context, { customer, returnUrl: body.return_url }), context)
    }),
  ),
]

/** Finds the route of a call; `Not Found` if there is none. */
export function prepareCall(call: RecordedCall, request: HttpRequest): Execution {
  const execution = prepareRoute(routes, call, parserOf(call, request))
  if (execution) return execution
  throw new PolarError(404, null, 'Not Found')
}

/** The rows that have what the query names, the newest first. */
function list(path: string, rowsOf: (context: AccountContext) => object[]): Route {
  return route('GET', path, ListQuery, (context, query) =>
    pageOf(
      rowsOf(context).filter((row) => fits(context, row, query)),
      query,
    ),
  )
}

function fits(context: AccountContext, row: object, query: Query): boolean {
  const { page, limit, sorting, external_customer_id: externalId, ...wanted } = query
  const has = Object.entries(wanted).every(([name, value]) => value === undefined || Reflect.get(row, name) === value)
  if (externalId === undefined || !has) return has
  return customerOwn(find(context, 'customers', Reflect.get(row, 'customer_id'))).externalId === externalId
}
