import * as z from 'zod'
import { findPrice } from '../core/domain/accounts.ts'
import { type AccountContext, find } from '../core/domain/context.ts'
import { findPage } from '../core/domain/pages.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { Execution } from '../core/processor.ts'
import type { Form } from '../core/wire/form.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { prepareRoute, type Route, retrieve, route } from '../core/wire/routes.ts'
import { billsOf, findBill } from './bills.ts'
import { checkoutNew, checkoutOneTime, NewParameters, OneTimeParameters } from './checkout.ts'
import { ChargebeeError, notFound, wrongState } from './errors.ts'
import { customerObject } from './objects/customer.ts'
import { eventObject } from './objects/event.ts'
import { hostedPageObject } from './objects/hosted-page.ts'
import { creditNoteObject, invoiceObject } from './objects/invoice.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { findTransaction, refundTransaction } from './objects/transaction.ts'
import { subscriptionOwn } from './own.ts'
import { Nothing, parseParameters } from './parameters.ts'
import { createPortalSession, PortalParameters, portalSessionObject } from './portal.ts'
import {
  CancelParameters,
  CommentParameters,
  cancelForItems,
  comment,
  commentObject,
  RefundParameters,
  refund,
  setCancelled,
} from './subscriptions.ts'

const OfSubscription = z.strictObject({
  subscription_id: z.strictObject({ is: text(50) }),
  limit: integer(1, 100).default(10),
  sort_by: z.strictObject({ asc: z.literal('date') }),
})
const OfEntity = z.strictObject({ entity_type: z.literal('subscription'), entity_id: text(100) })

const withCustomer = (subscription: SubscriptionRecord, context: AccountContext) => ({
  subscription: subscriptionObject(subscription, context),
  customer: customerObject(find(context, 'customers', subscription.customer)),
})

/** The part of Chargebee's API that the emulator has. */
const routes: Route[] = [
  route('POST', '/api/v2/hosted_pages/checkout_new_for_items', NewParameters, (context, given) => ({
    hosted_page: hostedPageObject(checkoutNew(context, given), context),
  })),
  route('POST', '/api/v2/hosted_pages/checkout_one_time_for_items', OneTimeParameters, (context, given) => ({
    hosted_page: hostedPageObject(checkoutOneTime(context, given), context),
  })),
  route('GET', '/api/v2/hosted_pages/:id', Nothing, (context, _, [id]) => ({
    hosted_page: hostedPageObject(findPage(context, id), context),
  })),
  retrieve('/api/v2/subscriptions/:id', Nothing, 'subscriptions', withCustomer),
  route('POST', '/api/v2/subscriptions/:id/cancel_for_items', CancelParameters, (context, given, [id]) =>
    withCustomer(cancelForItems(context, given, id), context),
  ),
  route('POST', '/api/v2/subscriptions/:id/remove_scheduled_cancellation', Nothing, (context, _, [id]) =>
    withCustomer(setCancelled(context, find(context, 'subscriptions', id), false), context),
  ),
  retrieve('/api/v2/customers/:id', Nothing, 'customers', (customer) => ({ customer: customerObject(customer) })),
  route('GET', '/api/v2/invoices', OfSubscription, (context, { subscription_id: { is }, limit }) => ({
    list: billsOf(context, is)
      .slice(0, limit)
      .map((bill) => ({ invoice: invoiceObject(bill, context) })),
  })),
  route('GET', '/api/v2/invoices/:id+', Nothing, (context, _, [id]) => ({
    invoice: invoiceObject(findBill(context, id), context),
  })),
  route('POST', '/api/v2/invoices/:id+/refund', RefundParameters, (context, { refund_amount: amount }, [id]) => {
    const { payment } = findBill(context, id)
    if (!payment) throw wrongState('The invoice is not paid.')
    const made = refund(context, payment, amount)
    return {
      invoice: invoiceObject(findBill(context, id), context),
      transaction: refundTransaction(made, context),
      credit_note: creditNoteObject(made, context),
    }
  }),
  route('GET', '/api/v2/transactions/:id', Nothing, (context, _, [id]) => ({
    transaction: findTransaction(context, id),
  })),
  route('GET', '/api/v2/item_prices/:id', Nothing, (context, _, [id]) => {
    const price = findPrice(context.account, id)?.price
    if (!price) throw notFound(id)
    const { label: name, amount, currency, interval, intervalCount } = price
    const period = interval && { period: intervalCount ?? 1, period_unit: interval }
    const about = { id, name, status: 'active', price: amount, currency_code: currency, ...period, free_quantity: 0 }
    const kind = { item_type: interval ? 'plan' : 'charge', pricing_model: 'per_unit', object: 'item_price' }
    return { item_price: { ...about, ...kind, created_at: 1_700_000_000, deleted: false } }
  }),
  route('POST', '/api/v2/portal_sessions', PortalParameters, (context, given) => ({
    portal_session: portalSessionObject(createPortalSession(context, given), context.url),
  })),
  route('POST', '/api/v2/comments', CommentParameters, comment),
  route('GET', '/api/v2/comments', OfEntity, (context, { entity_id: id }) => ({
    list: subscriptionOwn(find(context, 'subscriptions', id)).comments.map((made) => commentObject(made, id)),
  })),
  retrieve('/api/v2/events/:id', Nothing, 'events', (event) => ({ event: eventObject(event, { pending: 0 }) })),
]

/** Finds the route and validates the parameters; throws Chargebee's 404 or 400 before anything has run. */
export function prepareCall({ method, path, body }: { method: string; path: string; body: Form }): Execution {
  const execution = prepareRoute(routes, { method, path: decoded(path) }, (schema) => {
    const parameters = parseParameters(schema, body)
    return () => parameters
  })
  if (execution) return execution
  throw new ChargebeeError(404, 'url_not_found', `${method} ${path} is no address of this API.`)
}

/** Chargebee does not understand a slash that is encoded (github.com/chargebee/chargebee-go/pull/40). */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll(/%2f/gi, '%252F'))
  } catch {
    return path
  }
}
