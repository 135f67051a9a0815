import * as z from 'zod'
import { type AccountContext, find, newestFirst, showEach } from '../core/domain/context.ts'
import { newCustomer } from '../core/domain/customers.ts'
import { findPayment } from '../core/domain/payment-pages.ts'
import type { Row, Table } from '../core/domain/records.ts'
import { listDisputes, listRefunds } from '../core/domain/reversals.ts'
import { optional } from '../core/wire/json-fields.ts'
import { act, asRecord, create, type Ids, Nothing, type Route, read, retrieve, route } from '../core/wire/routes.ts'
import { noSuch } from './errors.ts'
import { paymentWith } from './objects/payment.ts'
import { toList } from './objects/wire.ts'
import { Metadata } from './own.ts'
import { locale, PageQuery, PaymentQuery } from './parameters.ts'
import {
  cancelPayment,
  createPayment,
  createRefund,
  PaymentBody,
  PaymentUpdate,
  RefundBody,
  updatePayment,
} from './payments.ts'
import {
  cancel,
  createSubscription,
  findSubscription,
  SubscriptionBody,
  SubscriptionUpdate,
  updateSubscription,
} from './subscriptions.ts'

const CustomerBody = z.strictObject({
  name: optional(z.string().max(255)),
  email: optional(z.email()),
  locale: optional(locale),
  metadata: optional(Metadata),
})

const CUSTOMER = '/v2/customers/:id'
const SUBSCRIPTION = `${CUSTOMER}/subscriptions/:id`
const PAYMENT = '/v2/payments/:id'

/** The supported part of Mollie's API. */
export const ROUTES: Route[] = [
  create('/v2/customers', CustomerBody, 'customers', createCustomer),
  retrieve(CUSTOMER, 'customers'),
  list(CUSTOMER, 'mandates', (context, ids) => newestFirst(context, 'mandates', owner(context, ids))),
  create(`${CUSTOMER}/subscriptions`, SubscriptionBody, 'subscriptions', createSubscription),
  list(CUSTOMER, 'subscriptions', (context, ids) => newestFirst(context, 'subscriptions', owner(context, ids))),
  read(SUBSCRIPTION, findSubscription, asRecord('subscriptions')),
  route(
    'DELETE',
    SUBSCRIPTION,
    Nothing,
    (context, _, ids) => cancel(context, findSubscription(context, ...ids)),
    asRecord('subscriptions'),
  ),
  route(
    'PATCH',
    SUBSCRIPTION,
    SubscriptionUpdate,
    (context, given, ids) => updateSubscription(context, findSubscription(context, ...ids), given),
    asRecord('subscriptions'),
  ),
  // The first payment, which created the mandate, does not belong to the subscription.
  list(SUBSCRIPTION, 'payments', (context, ids) =>
    newestFirst(context, 'payments', { subscription: findSubscription(context, ...ids).id }),
  ),
  // All of a customer's payments, those of subscriptions included.
  list(CUSTOMER, 'payments', (context, ids) => newestFirst(context, 'payments', owner(context, ids))),
  create('/v2/payments', PaymentBody, 'payments', createPayment),
  route('GET', PAYMENT, PaymentQuery, (context, { embed }, [id]) =>
    paymentWith(findPayment(context, id), embed, context),
  ),
  act('PATCH', PAYMENT, PaymentUpdate, 'payments', updatePayment),
  act('DELETE', PAYMENT, Nothing, 'payments', cancelPayment),
  create(`${PAYMENT}/refunds`, RefundBody, 'refunds', createRefund),
  list(PAYMENT, 'refunds', (context, [id]) => listRefunds(context, findPayment(context, id))),
  read(`${PAYMENT}/refunds/:id`, findRefund, asRecord('refunds')),
  list(PAYMENT, 'disputes', (context, [id]) => listDisputes(context, findPayment(context, id)), 'chargebacks'),
]

function createCustomer(context: AccountContext, { name, email, ...own }: z.output<typeof CustomerBody>) {
  return newCustomer(context, { name, email, own })
}

const owner = (context: AccountContext, [id]: Ids) => ({ customer: find(context, 'customers', id).id })

function findRefund(context: AccountContext, payment: string, id: string) {
  const found = find(context, 'refunds', id)
  if (found.payment !== payment) throw noSuch('refunds', id)
  return found
}

/** A list of a table's records below the resource at `path`. */
function list<Name extends Table>(
  path: string,
  table: Name,
  listRows: (context: AccountContext, ids: Ids) => Row<Name>[],
  name: string = table,
): Route {
  return route('GET', `${path}/${name}`, PageQuery, (context, page, ids) => {
    const owner = ids.reduce((address, id) => address.replace(':id', id), `${context.url}${path}`)
    const rows = showEach(context, table, listRows(context, ids))
    return toList(name, `${owner}/${name}`, rows, page)
  })
}
