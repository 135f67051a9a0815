import { act, create, type Route, read, retrieve, route } from '../core/wire/routes.ts'
import { CheckoutBody, createCheckout } from './checkouts.ts'
import { CustomerBody, createCustomer, createPortalSession, PortalBody } from './customers.ts'
import { forbidden, invalid } from './errors.ts'
import { orderObject } from './objects/order.ts'
import { allOrders, createRefund, findOrder, RefundBody } from './orders.ts'
import { LACKING_SCOPES } from './own.ts'
import { ListQuery, pageOf, uuid } from './parameters.ts'
import { SubscriptionBody, updateSubscription } from './subscriptions.ts'

/** The part of Polar's API that the emulator has. */
export const ROUTES: Route[] = [
  create('/v1/checkouts/', CheckoutBody, 'pages', createCheckout),
  retrieve('/v1/checkouts/:id', 'pages'),
  retrieve('/v1/subscriptions/:id', 'subscriptions'),
  act('PATCH', '/v1/subscriptions/:id', SubscriptionBody, 'subscriptions', updateSubscription),
  route('GET', '/v1/orders/', ListQuery, (context, query) => {
    const orders = allOrders(context).map((order) => orderObject(order, context))
    return pageOf(orders, query)
  }),
  read('/v1/orders/:id', findOrder, orderObject),
  create('/v1/refunds/', RefundBody, 'refunds', createRefund),
  create('/v1/customers/', CustomerBody, 'customers', createCustomer),
  create('/v1/customer-sessions/', PortalBody, 'portalSessions', createPortalSession),
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
        const lacking = LACKING_SCOPES.of(context)
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
