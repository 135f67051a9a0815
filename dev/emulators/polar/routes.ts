import { find, newestFirst, showEach } from '../core/domain/context.ts'
import { act, create, Nothing, type Route, read, retrieve, route } from '../core/wire/routes.ts'
import { CheckoutBody, createCheckout } from './checkouts.ts'
import { CustomerBody, createCustomer, createPortalSession, PortalBody } from './customers.ts'
import { DISCOUNT_ROUTES } from './discounts.ts'
import { forbidden, invalid } from './errors.ts'
import { listOrderDisputes, orderObject, wholeDispute } from './objects/order.ts'
import { allOrders, createRefund, findOrder, findReversedOrder, RefundBody, readReceipt } from './orders.ts'
import { LACKING_SCOPES } from './own.ts'
import { DisputesQuery, ListQuery, RefundsQuery, toPage, uuid } from './parameters.ts'
import { ProductChange, previewChange, previewNextCharge } from './plan-changes.ts'
import { revoke, SubscriptionBody, updateSubscription } from './subscriptions.ts'

/** Resources that a write scope does not allow to read. */
const READ_ONLY = ['orders', 'disputes']

/** The supported part of Polar's API. */
export const ROUTES: Route[] = [
  create('/v1/checkouts/', CheckoutBody, 'pages', createCheckout),
  lagging(retrieve('/v1/checkouts/:id', 'pages')),
  lagging(retrieve('/v1/subscriptions/:id', 'subscriptions')),
  act('PATCH', '/v1/subscriptions/:id', SubscriptionBody, 'subscriptions', updateSubscription),
  act('DELETE', '/v1/subscriptions/:id', Nothing, 'subscriptions', (context, subscription) =>
    revoke(context, subscription),
  ),
  // Not in the SDK: their tag is `private` (server/polar/subscription/endpoints.py).
  read('/v1/subscriptions/:id/charge-preview', (context, id) =>
    previewNextCharge(context, find(context, 'subscriptions', id)),
  ),
  route('POST', '/v1/subscriptions/:id/change-preview', ProductChange, (context, given, [id]) =>
    previewChange(context, find(context, 'subscriptions', id), given),
  ),
  lagging(
    route('GET', '/v1/orders/', ListQuery, (context, query) => {
      const orders = allOrders(context).map((order) => orderObject(order, context))
      return toPage(orders, query)
    }),
  ),
  lagging(read('/v1/orders/:id', findOrder, orderObject)),
  route('GET', '/v1/orders/:id/receipt', Nothing, (context, _, [id]) =>
    readReceipt(context, findOrder(context.replica(), id)),
  ),
  lagging(
    route('GET', '/v1/disputes/', DisputesQuery, (context, query) => toPage(listOrderDisputes(context, query), query)),
  ),
  lagging(read('/v1/disputes/:id', (context, id) => wholeDispute(find(context, 'disputes', id), context))),
  lagging(retrieve('/v1/customers/:id', 'customers')),
  create('/v1/refunds/', RefundBody, 'refunds', createRefund),
  // The only list that is read from the primary database: `get_db_session` in server/polar/refund/endpoints.py.
  route('GET', '/v1/refunds/', RefundsQuery, (context, { ids, order, ...query }) => {
    const refunds = newestFirst(context, 'refunds', {})
      .filter(({ id }) => ids === undefined || ids.includes(id))
      .filter((refund) => order === undefined || findReversedOrder(context, refund).id === order)
    return toPage(showEach(context, 'refunds', refunds), query)
  }),
  create('/v1/customers/', CustomerBody, 'customers', createCustomer),
  create('/v1/customer-sessions/', PortalBody, 'portalSessions', createPortalSession),
  ...DISCOUNT_ROUTES,
].map(guarded)

/** A route that reads from a replica, as those with `get_db_read_session` in server/polar/<resource>/endpoints.py. */
function lagging(open: Route): Route {
  return {
    ...open,
    prepare(parse, ids) {
      const execution = open.prepare(parse, ids)
      return (context) => execution(context.replica())
    },
  }
}

/** A route with Polar's first checks: the token's scopes, and that ids in the path are UUIDs. */
function guarded(open: Route): Route {
  const [, , resource = ''] = open.path.replaceAll('-', '_').split('/')
  const scopes =
    open.method === 'GET' && !READ_ONLY.includes(resource)
      ? ['read', 'write']
      : [open.method === 'GET' ? 'read' : 'write']
  return {
    ...open,
    prepare(parse, ids) {
      const execution = open.prepare(parse, ids)
      return (context) => {
        const lacking = LACKING_SCOPES.read(context)
        if (scopes.every((scope) => lacking.includes(`${resource}:${scope}`))) {
          throw forbidden('insufficient_scope', 'The request requires higher privileges than the access token has.')
        }
        const [wrong] = ids.filter((id) => !uuid.safeParse(id).success)
        if (wrong !== undefined) throw invalid(['path', 'id'], 'Input should be a valid UUID', wrong, 'uuid_parsing')
        return execution(context)
      }
    },
  }
}
