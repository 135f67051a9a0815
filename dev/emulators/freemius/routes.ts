import * as z from 'zod'
import type { AccountOf } from '../core/domain/accounts.ts'
import { type AccountContext, all, find } from '../core/domain/context.ts'
import type { PageRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { Execution } from '../core/processor.ts'
import type { HttpRequest } from '../core/server.ts'
import { readJson } from '../core/wire/json-fields.ts'
import { type Ids, prepareRoute, type Route, route } from '../core/wire/routes.ts'
import type { FreemiusAccount } from './accounts.ts'
import { badRequest, FreemiusError, noSuch } from './errors.ts'
import { eventObject } from './objects/event.ts'
import { licenseObject, subscriptionOf } from './objects/license.ts'
import { paymentObject, paymentsOf } from './objects/payment.ts'
import { planObject, pricingObject } from './objects/plan.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { hasAddress, userObject } from './objects/user.ts'
import { licenseOwn } from './own.ts'
import { logIn, PortalLogin } from './portal.ts'
import { cancel } from './subscriptions.ts'

/* Paths end with `.json`; `:id` stands for an object. What a query has besides is ignored. */

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

/** The part of Freemius' API that the emulator has. */
const routes: Route[] = [
  show('licenses', (context, id) => licenseObject(findLicense(context, id), context)),
  show('subscriptions', (context, id) => subscriptionObject(find(context, 'subscriptions', id), context)),
  show('payments', (context, id) => paymentObject(find(context, 'payments', id), context)),
  show('users', (context, id) => userObject(find(context, 'customers', id))),
  show('events', (context, id) => eventObject(find(context, 'events', id), pendingOf(context, id))),
  show('plans', (context, id) => planObject(account(context), id)),
  route('GET', '/plans/:id/pricing/:id', Fields, (context, { fields }, ids) =>
    pick(pricingObject(account(context), ids[0], withoutSuffix(ids[1])), fields),
  ),
  list('users', Users, (context, { email }) =>
    all(context, 'customers')
      .filter((user) => email === undefined || hasAddress(user, email))
      .map(userObject),
  ),
  list('events', Events, (context, { type, state }) =>
    all(context, 'events')
      .map((event) => eventObject(event, pendingOf(context, event.id)))
      .filter((event) => (type === undefined || event.type === type) && (state === undefined || event.state === state))
      .map(({ objects: _, ...event }) => event)
      .reverse(),
  ),
  listOfUser('licenses', (context, user) =>
    all(context, 'pages')
      .filter((license) => license.customer === user && !licenseOwn(license).deleted)
      .map((license) => licenseObject(license, context))
      .reverse(),
  ),
  listOfUser('subscriptions', (context, user) =>
    all(context, 'subscriptions')
      .filter(({ customer }) => customer === user)
      .map((subscription) => subscriptionObject(subscription, context))
      .reverse(),
  ),
  listOfUser('payments', (context, user) => paymentsOf(user, context)),
  route('GET', '/licenses/:id/subscription.json', Fields, (context, { fields }, [id]) =>
    pick(subscriptionObject(latestOf(context, id), context), fields),
  ),
  route('DELETE', '/licenses/:id/subscription.json', Cancellation, (context, query, [id]) =>
    cancelled(context, latestOf(context, id), query),
  ),
  route('DELETE', '/subscriptions/:id', Cancellation, (context, query, [id]) =>
    cancelled(context, find(context, 'subscriptions', withoutSuffix(id)), query),
  ),
  route('POST', '/portal/login.json', PortalLogin, logIn),
]

/** Finds the route of a call. Throws Freemius' 404 if there is none. */
export function prepareCall(call: { method: string; path: string }, { query, body }: HttpRequest): Execution {
  // The product was looked at with the credential, so it is no part of the routes.
  const path = call.path.replace(/^\/v1\/products\/\d+\//, '/')
  const given = call.method === 'POST' ? readJson(body) : Object.fromEntries(new URLSearchParams(query))
  const execution = prepareRoute(routes, { ...call, path }, (schema) => () => {
    const parsed = schema.safeParse(given)
    if (!parsed.success) throw badRequest(z.prettifyError(parsed.error))
    return parsed.data
  })
  if (!execution || !path.endsWith('.json')) {
    throw new FreemiusError(404, 'ResourceNotFound', `There is nothing at ${call.path}.`, 'resource_not_found')
  }
  return execution
}

const withoutSuffix = (id: string) => id.replace(/\.json$/, '')

const account = ({ account }: AccountContext) => account as AccountOf<FreemiusAccount>

function show(name: string, object: (context: AccountContext, id: string) => object): Route {
  return route('GET', `/${name}/:id`, Fields, (context, { fields }, [id]) =>
    pick(object(context, withoutSuffix(id)), fields),
  )
}

function list<Schema extends typeof Paging>(
  name: string,
  schema: Schema,
  rowsOf: (context: AccountContext, query: z.output<Schema>) => object[],
): Route {
  return route('GET', `/${name}.json`, schema, (context, query) => ({
    [name]: page(rowsOf(context, query), query),
  }))
}

function listOfUser(name: string, rowsOf: (context: AccountContext, user: string) => object[]): Route {
  return route('GET', `/users/:id/${name}.json`, Paging, (context, query, [id]) => ({
    [name]: page(rowsOf(context, find(context, 'customers', id).id), query),
  }))
}

const page = (rows: object[], { count, offset, fields }: z.output<typeof Paging>) =>
  rows.slice(offset, offset + count).map((row) => pick(row, fields))

function pick(object: object, fields: string | undefined): object {
  if (fields === undefined) return object
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.split(',').includes(name)))
}

function findLicense(context: AccountContext, id: string): PageRecord {
  const license = find(context, 'pages', id)
  if (licenseOwn(license).deleted) throw noSuch('pages', id)
  return license
}

function latestOf(context: AccountContext, license: Ids[0]): SubscriptionRecord {
  const subscription = subscriptionOf(findLicense(context, license), context)
  if (!subscription) throw noSuch('subscriptions', `of license ${license}`)
  return subscription
}

function cancelled(context: AccountContext, found: SubscriptionRecord, query: z.output<typeof Cancellation>) {
  const reasonIds = query.reason_ids ? query.reason_ids.split(',') : []
  return subscriptionObject(cancel(context, found, { reason: query.reason ?? null, reasonIds }), context)
}

const pendingOf = ({ records }: AccountContext, id: string) => ({
  pending: [...records.deliveries.values()].filter(({ event }) => event === id).length,
})
