import type * as z from 'zod'
import type { RecordedCall } from '../core/calls.ts'
import { type AccountContext, accountRecord, find } from '../core/domain/context.ts'
import { findPage } from '../core/domain/pages.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import type { Execution } from '../core/processor.ts'
import type { HttpRequest } from '../core/server.ts'
import { prepareRoute, type Route, retrieve, route } from '../core/wire/routes.ts'
import { CheckoutBody, createCheckout } from './checkouts.ts'
import { CustomerBody, createCustomer, findByExternalId, PortalBody, portalObject } from './customers.ts'
import { forbidden, invalid, PolarError } from './errors.ts'
import { checkoutObject } from './objects/checkout.ts'
import { customerObject } from './objects/goods.ts'
import { orderObject } from './objects/order.ts'
import { refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { allOrders, findOrder } from './orders.ts'
import { settingsOwn } from './own.ts'
import { ListQuery, Nothing, pageOf, parserOf, uuid } from './parameters.ts'
import { createRefund, RefundBody } from './refunds.ts'
import { SubscriptionBody, updateSubscription } from './subscriptions.ts'

type Query = z.output<typeof ListQuery>

/** The part of Polar's API that the emulator has. */
const routes: Route[] = [
  route('POST', '/v1/checkouts/', CheckoutBody, (context, body) =>
    checkoutObject(createCheckout(context, body), context),
  ),
  route('GET', '/v1/checkouts/:id', Nothing, (context, _, [id]) => checkoutObject(findPage(context, id), context)),
  retrieve('/v1/subscriptions/:id', Nothing, 'subscriptions', subscriptionObject),
  route('PATCH', '/v1/subscriptions/:id', SubscriptionBody, (context, body, [id]) =>
    subscriptionObject(updateSubscription(context, body, id), context),
  ),
  list('/v1/orders/', (context) => allOrders(context).map((order) => orderObject(order, context))),
  route('GET', '/v1/orders/:id', Nothing, (context, _, [id]) => orderObject(findOrder(context, id), context)),
  route('POST', '/v1/refunds/', RefundBody, (context, body) => refundObject(createRefund(context, body), context)),
  route('POST', '/v1/customers/', CustomerBody, (context, body) => customerObject(createCustomer(context, body))),
  route('POST', '/v1/customer-sessions/', PortalBody, (context, body) => {
    const { id: customer } =
      'customer_id' in body
        ? find(context, 'customers', body.customer_id, 'customer_id')
        : findByExternalId(context, body.external_customer_id)
    return portalObject(openPortal(context, { customer, returnUrl: body.return_url }), context)
  }),
].map(guarded)

/** A route behind what Polar looks at first: the token's scopes, and whether ids in the path are UUIDs. */
function guarded(open: Route): Route {
  const [, , resource = ''] = open.path.replaceAll('-', '_').split('/')
  const scopes =
    open.method === 'GET' && resource !== 'orders' ? ['read', 'write'] : [open.method === 'GET' ? 'read' : 'write']
  return {
    ...open,
    prepare(parse, ids) {
      const execution = open.prepare(parse, ids)
      return (context) => {
        const { lackingScopes } = settingsOwn(accountRecord(context.records, context.account.id))
        if (scopes.every((scope) => lackingScopes.includes(`${resource}:${scope}`))) {
          throw forbidden('insufficient_scope', 'The request requires higher privileges than the access token has.')
        }
        const [wrong] = ids.filter((id) => !uuid.safeParse(id).success)
        if (wrong !== undefined) throw invalid(['path', 'id'], 'Input should be a valid UUID', wrong, 'uuid_parsing')
        return execution(context)
      }
    },
  }
}

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
      rowsOf(context).filter((row) => fits(row, query)),
      query,
    ),
  )
}

function fits(row: object, { page, limit, sorting, ...wanted }: Query): boolean {
  return Object.entries(wanted).every(([name, value]) => value === undefined || Reflect.get(row, name) === value)
}
