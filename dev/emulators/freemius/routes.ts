import * as z from 'zod'
import { type AccountContext, find, matches, newestFirst, showEach } from '../core/domain/context.ts'
import { customerAt, customersAt } from '../core/domain/customers.ts'
import type { PageRecord, PortalSessionRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { optional } from '../core/wire/json-fields.ts'
import { act, asRecord, type Ids, Nothing, type Route, read, retrieve, route } from '../core/wire/routes.ts'
import { cancellationDiscounts, discountSubscription, listCoupons, listSpecialCoupons } from './coupons.ts'
import { missingArgument, noSuch } from './errors.ts'
import { invoicePdf } from './invoice-pdf.ts'
import { findSubscription } from './objects/license.ts'
import { listPayments } from './objects/payment.ts'
import { planObject, pricingObject } from './objects/product.ts'
import { licenseOwn } from './own.ts'
import { cancel, cancelLicense } from './subscriptions.ts'
import { createUpgradeLink, LinkRequest } from './upgrade-link.ts'

const Paging = z.object({
  count: z.coerce.number().int().min(1).max(50).default(25),
  offset: z.coerce.number().int().min(0).default(0),
})
const Users = Paging.extend({ email: z.string().optional() })
const Coupons = Paging.extend({ code: z.string().optional(), is_enriched: z.string().optional() })
const SpecialCoupons = z.object({ type: z.string().optional() })
const CouponGiven = z.object({ coupon_id: z.int() })
const UserSubscriptions = Paging.extend({ enrich_with_cancellation_discounts: z.string().optional() })
const Events = Paging.extend({ type: z.string().optional(), state: z.string().optional() })
const Cancellation = z.object({
  reason: optional(z.string()),
  reason_ids: optional(z.string().regex(/^(\d+(,\d+)*)?$/)).transform((ids) => (ids ? ids.split(',') : [])),
})
const Login = z.object({ id: z.coerce.string().optional(), email: z.string().optional() })

const LICENSE = '/licenses/:id'
const SUBSCRIPTION = '/subscriptions/:id'
const USER = '/users/:id'

/** The supported part of Freemius' API. */
export const ROUTES: Route[] = [
  read(LICENSE, findLicense, asRecord('pages')),
  read(`${LICENSE}/subscription`, findLatest, asRecord('subscriptions')),
  // Without `delete=true` the license is cancelled (`licenses/cancel` of the SDK's OpenAPI document).
  route(
    'DELETE',
    LICENSE,
    Nothing,
    (context, _, [id]) => cancelLicense(context, findLicense(context, id)),
    asRecord('pages'),
  ),
  retrieve(SUBSCRIPTION, 'subscriptions'),
  retrieve('/payments/:id', 'payments'),
  retrieve(USER, 'customers'),
  retrieve('/events/:id', 'events'),
  read('/plans/:id', planObject),
  read('/plans/:id/pricing/:id', pricingObject),
  list('/users', Users, (context, { email }) => {
    const users = email === undefined ? newestFirst(context, 'customers', {}) : customersAt(context, email)
    return showEach(context, 'customers', users)
  }),
  route('GET', '/coupons/special', SpecialCoupons, (context, search) => ({
    coupon_entities: listSpecialCoupons(context, search),
  })),
  list('/coupons', Coupons, (context, search) => listCoupons(context, search)),
  list('/events', Events, (context, { type, state }) => {
    const events = showEach(context, 'events', newestFirst(context, 'events', { type }))
    // Events in lists have no objects.
    return events.filter(matches({ state })).map((event) => ({ ...event, objects: undefined }))
  }),
  list(`${USER}/licenses`, Paging, (context, _, ids) => {
    const licenses = newestFirst(context, 'pages', byUser(context, ids)).filter((each) => !licenseOwn(each).deleted)
    return showEach(context, 'pages', licenses)
  }),
  route('GET', `${USER}/subscriptions`, UserSubscriptions, (context, { count, offset, ...query }, ids) => {
    const rows = newestFirst(context, 'subscriptions', byUser(context, ids)).slice(offset, offset + count)
    const subscriptions = showEach(context, 'subscriptions', rows)
    if (query.enrich_with_cancellation_discounts !== 'true') return { subscriptions }
    const discounts = cancellationDiscounts(context, rows)
    return { subscriptions: subscriptions.map((each) => withDiscounted(each, discounts)), discounts }
  }),
  list(`${USER}/payments`, Paging, (context, _, ids) => listPayments(byUser(context, ids).customer, context)),
  // `users/download-invoice` of the SDK's OpenAPI document. Its errors for a payment of another user, and that a refund has no invoice, are
  // UNVERIFIED.
  route('GET', `${USER}/payments/:id/invoice.pdf`, Nothing, (context, _, ids) => invoicePdf(context, ids)),
  route('PUT', SUBSCRIPTION, CouponGiven, (context, given, [id]) => {
    const subscription = discountSubscription(context, find(context, 'subscriptions', id), given)
    return withDiscounted(context.show('subscriptions', subscription), cancellationDiscounts(context, [subscription]))
  }),
  act('DELETE', SUBSCRIPTION, Cancellation, 'subscriptions', cancel),
  route('DELETE', `${LICENSE}/subscription`, Cancellation, cancelLatest, asRecord('subscriptions')),
  route('POST', `${LICENSE}/checkout/link`, LinkRequest, (context, wanted, [id]) =>
    createUpgradeLink(context, findLicense(context, id), wanted),
  ),
  route('POST', '/portal/login', Login, logIn, ({ id: token }, { url }) => ({ token, link: `${url}/portal/${token}` })),
]

/** A subscription, and whether it has a cancellation discount. */
const withDiscounted = (shown: object, discounts: Record<string, unknown>) => ({
  ...shown,
  has_subscription_cancellation_discount: 'id' in shown && String(shown.id) in discounts,
})

const byUser = (context: AccountContext, [id]: Ids) => ({ customer: find(context, 'customers', id).id })

/** One page of a list, which is named by the end of its path. */
function list<Schema extends typeof Paging>(
  path: string,
  schema: Schema,
  listRows: (context: AccountContext, query: z.output<Schema>, ids: Ids) => object[],
): Route {
  return route('GET', path, schema, (context, query, ids) => {
    const { count, offset } = query
    return { [path.split('/').at(-1) ?? '']: listRows(context, query, ids).slice(offset, offset + count) }
  })
}

function findLicense(context: AccountContext, id: string): PageRecord {
  const license = find(context, 'pages', id)
  if (licenseOwn(license).deleted) throw noSuch('pages', id)
  return license
}

function findLatest(context: AccountContext, license: string): SubscriptionRecord {
  const subscription = findSubscription(findLicense(context, license), context)
  if (!subscription) throw noSuch('subscriptions', `of license ${license}`)
  return subscription
}

function cancelLatest(context: AccountContext, why: z.output<typeof Cancellation>, [license]: Ids) {
  return cancel(context, findLatest(context, license), why)
}

/** Opens the portal for a user, by id or address. It has no link back to the seller. */
function logIn(context: AccountContext, { id, email }: z.output<typeof Login>): PortalSessionRecord {
  if (id === undefined && email === undefined) throw missingArgument('id')
  const user = id === undefined ? customerAt(context, email ?? '') : find(context, 'customers', id)
  if (!user) throw noSuch('customers', email ?? '')
  return openPortal(context, { customer: user.id, returnUrl: null })
}
