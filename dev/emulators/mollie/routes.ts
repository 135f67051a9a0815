import * as z from 'zod'
import { type AccountContext, find, newestOf } from '../core/domain/context.ts'
import { newCustomer } from '../core/domain/customers.ts'
import { findPayment } from '../core/domain/payment-pages.ts'
import { disputesOf, refundsOf } from '../core/domain/reversals.ts'
import { optional } from '../core/wire/json-fields.ts'
import { Nothing } from '../core/wire/parse.ts'
import { type Ids, type Route, retrieve, route } from '../core/wire/routes.ts'
import { noSuch } from './errors.ts'
import { customerObject, mandateObject, subscriptionObject } from './objects/customer.ts'
import { chargebackObject, paymentObject, refundObject } from './objects/payment.ts'
import { listOf } from './objects/wire.ts'
import { Metadata } from './own.ts'
import { locale, PageQuery } from './parameters.ts'
import {
  cancelPayment,
  createPayment,
  PaymentBody,
  PaymentUpdate,
  RefundBody,
  refund,
  updatePayment,
} from './payments.ts'
import { cancelSubscription, createSubscription, findOf, SubscriptionBody } from './subscriptions.ts'

const CustomerBody = z.strictObject({
  name: optional(z.string().max(255)),
  email: optional(z.email()),
  locale: optional(locale),
  metadata: optional(Metadata),
})

const CUSTOMER = '/v2/customers/:id'
const SUBSCRIPTION = `${CUSTOMER}/subscriptions/:id`
const PAYMENT = '/v2/payments/:id'

/** The part of Mollie's API that the emulator has. */
export const ROUTES: Route[] = [
  route('POST', '/v2/customers', CustomerBody, createCustomer, customerObject),
  retrieve(CUSTOMER, 'customers'),
  list(CUSTOMER, 'mandates', (context, ids) => newestOf(context, 'mandates', owner(context, ids)), mandateObject),
  route('POST', `${CUSTOMER}/subscriptions`, SubscriptionBody, createSubscription, subscriptionObject),
  list(
    CUSTOMER,
    'subscriptions',
    (context, ids) => newestOf(context, 'subscriptions', owner(context, ids)),
    subscriptionObject,
  ),
  route('GET', SUBSCRIPTION, Nothing, (context, _, [owner, id]) => findOf(context, owner, id), subscriptionObject),
  route('DELETE', SUBSCRIPTION, Nothing, cancelSubscription, subscriptionObject),
  // The first payment, which gave the mandate, is none of the subscription's.
  list(
    SUBSCRIPTION,
    'payments',
    (context, [owner, id]) => newestOf(context, 'payments', { subscription: findOf(context, owner, id).id }),
    paymentObject,
  ),
  route('POST', '/v2/payments', PaymentBody, createPayment, paymentObject),
  route('GET', PAYMENT, Nothing, (context, _, [id]) => findPayment(context, id), paymentObject),
  route('PATCH', PAYMENT, PaymentUpdate, updatePayment, paymentObject),
  route('DELETE', PAYMENT, Nothing, cancelPayment, paymentObject),
  route('POST', `${PAYMENT}/refunds`, RefundBody, refund, refundObject),
  list(PAYMENT, 'refunds', (context, [id]) => refundsOf(context, findPayment(context, id)), refundObject),
  route('GET', `${PAYMENT}/refunds/:id`, Nothing, findRefund, refundObject),
  list(PAYMENT, 'chargebacks', (context, [id]) => disputesOf(context, findPayment(context, id)), chargebackObject),
]

function createCustomer(context: AccountContext, { name, email, ...own }: z.output<typeof CustomerBody>) {
  return newCustomer(context, { name, email, own })
}

const owner = (context: AccountContext, [id]: Ids) => ({ customer: find(context, 'customers', id).id })

function findRefund(context: AccountContext, _: unknown, [payment, id]: Ids) {
  const found = find(context, 'refunds', id)
  if (found.payment !== payment) throw noSuch('refunds', id)
  return found
}

/** The list of that name which belongs to what `path` names. */
function list<Row>(
  path: string,
  name: string,
  rowsOf: (context: AccountContext, ids: Ids) => Row[],
  show: (row: Row, context: AccountContext) => { id: string },
): Route {
  return route('GET', `${path}/${name}`, PageQuery, (context, page, ids) => {
    const owner = ids.reduce((address, id) => address.replace(':id', id), `${context.url}${path}`)
    const rows = rowsOf(context, ids).map((row) => show(row, context))
    return listOf(name, `${owner}/${name}`, rows, page)
  })
}
