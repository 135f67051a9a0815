import * as z from 'zod'
import { findPrice } from '../core/domain/accounts.ts'
import { type AccountContext, find } from '../core/domain/context.ts'
import { findPage } from '../core/domain/pages.ts'
import type { EventRecord } from '../core/domain/records.ts'
import type { PortalSessionRecord, SoldPrice } from '../core/domain/selling-records.ts'
import { integer, text } from '../core/wire/form-fields.ts'
import { Nothing } from '../core/wire/parse.ts'
import { type Ids, type Route, retrieve, route } from '../core/wire/routes.ts'
import { billsOf, findBill } from './bills.ts'
import {
  checkoutNew,
  checkoutOneTime,
  createPortalSession,
  NewParameters,
  OneTimeParameters,
  PortalParameters,
} from './checkout.ts'
import { notFound, wrongState } from './errors.ts'
import { hostedPageObject } from './objects/hosted-page.ts'
import { creditNoteObject, invoiceObject } from './objects/invoice.ts'
import { customerObject, withCustomer } from './objects/subscription.ts'
import { findTransaction, refundTransaction } from './objects/transaction.ts'
import { complete } from './objects/wire.ts'
import { type Comment, subscriptionOwn } from './own.ts'
import {
  CancelParameters,
  CommentParameters,
  CommentQuery,
  cancelForItems,
  comment,
  RefundParameters,
  refund,
  undoCancel,
} from './subscriptions.ts'
import { eventObject } from './telling.ts'

const OfSubscription = z.strictObject({
  subscription_id: z.strictObject({ is: text(50) }),
  limit: integer(1, 100).default(10),
  sort_by: z.strictObject({ asc: z.literal('date') }),
})

export const PORTAL_SECONDS = 3600

const API = '/api/v2'

/** Shows an object under its name. */
const named =
  <Made, Shown>(name: string, show: (made: Made, context: AccountContext) => Shown) =>
  (made: Made, context: AccountContext) => ({ [name]: show(made, context) })

const shownPage = named('hosted_page', hostedPageObject)
const shownBill = named('invoice', invoiceObject)
const shownComment = named('comment', ({ created, subscription, ...made }: Comment & { subscription: string }) =>
  complete('comment', { ...made, created_at: created, entity_id: subscription }),
)
const shownEvent = named('event', (event: EventRecord) => eventObject(event, { pending: 0 }))

/** The part of Chargebee's API that the emulator has. */
export const ROUTES: Route[] = [
  route('POST', `${API}/hosted_pages/checkout_new_for_items`, NewParameters, checkoutNew, shownPage),
  route('POST', `${API}/hosted_pages/checkout_one_time_for_items`, OneTimeParameters, checkoutOneTime, shownPage),
  route('GET', `${API}/hosted_pages/:id`, Nothing, (context, _, [id]) => findPage(context, id), shownPage),
  retrieve(`${API}/subscriptions/:id`, Nothing, 'subscriptions', withCustomer),
  route('POST', `${API}/subscriptions/:id/cancel_for_items`, CancelParameters, cancelForItems, withCustomer),
  route('POST', `${API}/subscriptions/:id/remove_scheduled_cancellation`, Nothing, keep, withCustomer),
  retrieve(`${API}/customers/:id`, Nothing, 'customers', named('customer', customerObject)),
  route('GET', `${API}/invoices`, OfSubscription, (context, { subscription_id: { is }, limit }) => {
    const bills = billsOf(context, is).slice(0, limit)
    return { list: bills.map((bill) => shownBill(bill, context)) }
  }),
  route('GET', `${API}/invoices/:id+`, Nothing, (context, _, [id]) => findBill(context, id), shownBill),
  route('POST', `${API}/invoices/:id+/refund`, RefundParameters, refundBill),
  route('GET', `${API}/transactions/:id`, Nothing, (context, _, [id]) => ({
    transaction: findTransaction(context, id),
  })),
  route('GET', `${API}/item_prices/:id`, Nothing, findItemPrice, named('item_price', itemPriceObject)),
  route('POST', `${API}/portal_sessions`, PortalParameters, createPortalSession, named('portal_session', portalObject)),
  route('POST', `${API}/comments`, CommentParameters, comment, shownComment),
  route('GET', `${API}/comments`, CommentQuery, (context, { entity_id: subscription }) => {
    const { comments } = subscriptionOwn(find(context, 'subscriptions', subscription))
    return { list: comments.map((made) => shownComment({ ...made, subscription }, context)) }
  }),
  retrieve(`${API}/events/:id`, Nothing, 'events', shownEvent),
]

function keep(context: AccountContext, _: unknown, [id]: Ids) {
  return undoCancel(context, find(context, 'subscriptions', id))
}

function refundBill(context: AccountContext, given: z.output<typeof RefundParameters>, [id]: Ids) {
  const { payment } = findBill(context, id)
  if (!payment) throw wrongState('The invoice is not paid.')
  const made = refund(context, payment, given.refund_amount)
  const notes = { transaction: refundTransaction(made, context), credit_note: creditNoteObject(made, context) }
  return { ...shownBill(findBill(context, id), context), ...notes }
}

function findItemPrice(context: AccountContext, _: unknown, [id]: Ids) {
  const price = findPrice(context.account, (each) => each.id === id)?.price
  if (!price) throw notFound(id)
  return price
}

function itemPriceObject({ id, label: name, amount, currency, interval, intervalCount }: SoldPrice) {
  const period = interval && { period: intervalCount ?? 1, period_unit: interval }
  const about = { id, name, price: amount, currency_code: currency, ...period }
  return complete('item_price', { ...about, item_type: interval ? 'plan' : 'charge' })
}

function portalObject({ id, created, customer, returnUrl }: PortalSessionRecord, { url }: AccountContext) {
  return complete('portal_session', {
    ...{ id, token: id, access_url: `${url}/portal/v2/${id}`, customer_id: customer },
    ...(returnUrl !== null && { redirect_url: returnUrl }),
    ...{ created_at: created, expires_at: created + PORTAL_SECONDS },
  })
}
