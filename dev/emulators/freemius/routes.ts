import * as z from 'zod'
import type { AccountOf } from '../core/domain/accounts.ts'
import { type AccountContext, all, find, newestOf } from '../core/domain/context.ts'
import { customerAt, customersAt } from '../core/domain/customers.ts'
import type { PageRecord, PortalSessionRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { pendingOf } from '../core/webhooks/deliveries.ts'
import { type Ids, type Route, route } from '../core/wire/routes.ts'
import type { FreemiusAccount } from './accounts.ts'
import { missingArgument, noSuch } from './errors.ts'
import { licenseObject, subscriptionObject, subscriptionOf } from './objects/license.ts'
import { paymentObject, paymentsOf } from './objects/payment.ts'
import { planObject, pricingObject, userObject } from './objects/product.ts'
import { licenseOwn } from './own.ts'
import { cancel } from './subscriptions.ts'
import { eventObject } from './telling.ts'

const Fields = z.object({ fields: z.string().optional() })
const Paging = Fields.extend({
  count: z.coerce.number().int().min(1).max(50).default(25),
  offset: z.coerce.number().int().min(0).default(0),
})
const Users = Paging.extend({ email: z.string().optional() })
const Events = Paging.extend({ type: z.string().optional(), state: z.string().optional() })
const Cancellation = z.object({
  reason: z.string().optional(),
  reason_ids: z
    .string()
    .regex(/^(\d+(,\d+)*)?$/)
    .optional(),
})
const PortalLogin = z.object({ id: z.coerce.string().optional(), email: z.string().optional() })

/** The part of Freemius' API that the emulator has. */
export const ROUTES: Route[] = [
  shown('/licenses/:id', (context, [id]) => licenseObject(findLicense(context, id), context)),
  shown('/subscriptions/:id', (context, [id]) => subscriptionObject(find(context, 'subscriptions', id), context)),
  shown('/payments/:id', (context, [id]) => paymentObject(find(context, 'payments', id), context)),
  shown('/users/:id', (context, [id]) => userObject(find(context, 'customers', id))),
  shown('/events/:id', (context, [id]) => context.show('events', find(context, 'events', id))),
  shown('/plans/:id', (context, [id]) => planObject(account(context), id)),
  shown('/plans/:id/pricing/:id', (context, [plan, id]) => pricingObject(account(context), plan, id)),
  shown('/licenses/:id/subscription', (context, ids) => subscriptionObject(latestOf(context, ids), context)),
  list('/users', Users, (context, { email }) =>
    (email === undefined ? all(context, 'customers') : customersAt(context, email)).map(userObject),
  ),
  list('/events', Events, (context, { type, state }) =>
    newestOf(context, 'events', type === undefined ? {} : { type })
      .map((event) => eventObject(event, { pending: pendingOf(context.records, event) }))
      .filter((event) => state === undefined || event.state === state)
      .map(({ objects: _, ...event }) => event),
  ),
  list('/users/:id/licenses', Paging, (context, _, ids) =>
    newestOf(context, 'pages', ofUser(context, ids))
      .filter((license) => !licenseOwn(license).deleted)
      .map((license) => licenseObject(license, context)),
  ),
  list('/users/:id/subscriptions', Paging, (context, _, ids) =>
    newestOf(context, 'subscriptions', ofUser(context, ids)).map((each) => subscriptionObject(each, context)),
  ),
  list('/users/:id/payments', Paging, (context, _, ids) => paymentsOf(ofUser(context, ids).customer, context)),
  route('DELETE', '/licenses/:id/subscription', Cancellation, (context, why, ids) =>
    cancelled(context, latestOf(context, ids), why),
  ),
  route('DELETE', '/subscriptions/:id', Cancellation, (context, why, [id]) =>
    cancelled(context, find(context, 'subscriptions', id), why),
  ),
  route('POST', '/portal/login', PortalLogin, logIn, ({ id: token }, { url }) => ({
    ...{ token, link: `${url}/portal/${token}` },
  })),
]

const account = ({ account }: AccountContext) => account as AccountOf<FreemiusAccount>

const ofUser = (context: AccountContext, [id]: Ids) => ({ customer: find(context, 'customers', id).id })

function shown(path: string, object: (context: AccountContext, ids: Ids) => object): Route {
  return route('GET', path, Fields, (context, { fields }, ids) => pick(object(context, ids), fields))
}

/** A list has the name that its path ends with. */
function list<Schema extends typeof Paging>(
  path: string,
  schema: Schema,
  rowsOf: (context: AccountContext, query: z.output<Schema>, ids: Ids) => object[],
): Route {
  return route('GET', path, schema, (context, query, ids) => {
    const { count, offset, fields } = query
    const rows = rowsOf(context, query, ids).slice(offset, offset + count)
    return { [path.split('/').at(-1) ?? '']: rows.map((row) => pick(row, fields)) }
  })
}

function pick(object: object, fields: string | undefined): object {
  if (fields === undefined) return object
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.split(',').includes(name)))
}

function findLicense(context: AccountContext, id: string): PageRecord {
  const license = find(context, 'pages', id)
  if (licenseOwn(license).deleted) throw noSuch('pages', id)
  return license
}

function latestOf(context: AccountContext, [license]: Ids): SubscriptionRecord {
  const subscription = subscriptionOf(findLicense(context, license), context)
  if (!subscription) throw noSuch('subscriptions', `of license ${license}`)
  return subscription
}

function cancelled(context: AccountContext, found: SubscriptionRecord, why: z.output<typeof Cancellation>) {
  const reason_ids = why.reason_ids ? why.reason_ids.split(',') : []
  return subscriptionObject(cancel(context, found, { reason: why.reason ?? null, reason_ids }), context)
}

/** Opens the portal for a user, by id or by address. It has no way back to the seller. */
function logIn(context: AccountContext, { id, email }: z.output<typeof PortalLogin>): PortalSessionRecord {
  if (id === undefined && email === undefined) throw missingArgument('id')
  const user = id === undefined ? customerAt(context, email ?? '') : find(context, 'customers', id)
  if (!user) throw noSuch('customers', email ?? '')
  return openPortal(context, { customer: user.id, returnUrl: null })
}
