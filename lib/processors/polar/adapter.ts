import type { models, PolarCore } from '@polar-sh/sdk/2026-10'
import { createCheckouts, getCheckouts } from '@polar-sh/sdk/2026-10/services/checkouts'
import { createCustomerSessions } from '@polar-sh/sdk/2026-10/services/customer_sessions'
import { listDisputes } from '@polar-sh/sdk/2026-10/services/disputes'
import { getOrders, listOrders } from '@polar-sh/sdk/2026-10/services/orders'
import { listRefunds } from '@polar-sh/sdk/2026-10/services/refunds'
import {
  getSubscriptions,
  revokeSubscriptions,
  updateSubscriptions,
} from '@polar-sh/sdk/2026-10/services/subscriptions'
import type * as z from 'zod'
import type { Adapter, AdapterOptions, Decision } from '../adapter.ts'
import { type CheckoutOrder, ProcessorError, type PurchaseReference } from '../processor.ts'
import { PolarRefusal, parse, polarApi } from './api.ts'
import { discountSubscription } from './discount-subscription.ts'
import { readPolarEvent } from './events.ts'
import {
  Checkout,
  type Dispute,
  Disputes,
  OpenedCheckout,
  Order,
  Orders,
  PortalSession,
  RefundStatuses,
  type Sale,
  Subscription,
} from './objects.ts'
import { changePlan, previewPlanChange } from './plan-change.ts'
import { readReceipt } from './receipt.ts'
import { refundPayment } from './refund.ts'
import {
  disputeFacts,
  firstFailure,
  hasEnded,
  isOwnCustomer,
  orderSnapshot,
  paidFacts,
  readSale,
  readVersions,
  subscriptionSnapshot,
  toCancellation,
} from './translate.ts'

/** Everything that Polar has about a purchase. `orders`: the latest of the subscription, newest first, or the one-time purchase itself. */
export interface PolarObserved {
  checkout: Checkout | null
  subscription: Subscription | null
  orders: Order[]
  disputes: Dispute[]
}

/** Polar, through the official SDK. It creates and ends subscriptions itself, so no action is ever pending. */
export function polarAdapter(
  { accessToken, webhookSecret }: Record<'accessToken' | 'webhookSecret', string>,
  options: AdapterOptions,
): Adapter<PolarObserved, never> {
  const api = polarApi(accessToken, options)

  return {
    async openCheckout(order) {
      const checkout = parse(OpenedCheckout, await createCheckout(api, order))
      return { pageId: checkout.id, url: checkout.url, expiresAt: checkout.expires_at }
    },

    async cancelAtPeriodEnd(id, reason) {
      const why = { customer_cancellation_reason: 'other', customer_cancellation_comment: reason } as const
      const subscription = await scheduleEnd(api, id, why)
      if (subscription.status !== 'paused') return toCancellation(subscription)
      return toCancellation(await unlessCanceled(api, id, updateSubscriptions(api)(id, { revoke: true, ...why })))
    },

    stopCharging: (id) => stopCharging(api, id),
    endNow: (id) => revoke(api, id),
    previewPlanChange: (change) => previewPlanChange(api, change),
    changePlan: (change) => changePlan(api, change),
    discountSubscription: (discounted) => discountSubscription(api, discounted),

    refundPayment: (order) => refundPayment(api, order),

    async openPortal(customer, returnUrl) {
      await refuseSharedCustomer(api, customer)
      const session = await createCustomerSessions(api)({ customer_id: customer, return_url: returnUrl })
      return parse(PortalSession, session).customer_portal_url
    },

    openReceipt: ({ id }) => readReceipt(api, id, options.base),

    observe: (reference) => observe(api, reference),
    decide,
    async act() {},

    async failedRefunds(ids) {
      const { items } = parse(RefundStatuses, await listRefunds(api)({ id: ids, limit: LONGEST_LIST }))
      return items.flatMap(({ id, status }) => (status === 'failed' || status === 'canceled' ? [id] : []))
    },

    readEvent: (request) => readPolarEvent(webhookSecret, request),
  }
}

/**
 * Polar identifies the buyer's customer by our user id and creates one if necessary; or uses the customer of an earlier sale, since after a
 * merge of users that one has another id. If the account no longer has it, the owner has switched accounts, and the sale is made with the
 * user id.
 */
async function createCheckout(api: PolarCore, order: CheckoutOrder): Promise<unknown> {
  try {
    return await createCheckouts(api)(checkoutFor(order, order.customer))
  } catch (error) {
    if (order.customer === null) return withoutEmail(api, order, error)
    if (!isAbout(error, 'body.customer_id')) throw error
  }
  try {
    return await createCheckouts(api)(checkoutFor(order, null))
  } catch (error) {
    return withoutEmail(api, order, error)
  }
}

/** Polar rejects an address whose domain cannot receive mail: then its page asks the buyer for another one. */
function withoutEmail(api: PolarCore, order: CheckoutOrder, error: unknown): Promise<unknown> {
  if (order.email === null || !isAbout(error, 'body.customer_email')) throw error
  return createCheckouts(api)(checkoutFor({ ...order, email: null }, null))
}

const isAbout = (error: unknown, field: string) => error instanceof PolarRefusal && error.fields.includes(field)

function checkoutFor(order: CheckoutOrder, customer: string | null): models.CheckoutCreate {
  const { trialDays, recurring, email, options, discount } = order
  const sale = { checkout_id: order.checkoutId, paywall_id: order.paywallId, user_id: order.userId } satisfies Sale
  const trial = { allow_trial: true, trial_interval: 'day', trial_interval_count: trialDays } as const
  return {
    products: [order.processorPrice],
    currency: order.currency.toLowerCase() as models.PresentmentCurrency,
    success_url: order.successUrl,
    return_url: order.errorUrl,
    metadata: customer === null ? sale : { ...sale, customer_id: customer },
    ...(customer !== null ? { customer_id: customer } : { external_customer_id: order.userId }),
    ...(customer === null && email !== null && { customer_email: email }),
    // With a code the buyer would replace the discount of the offer. Polar's default is true.
    ...(discount !== undefined
      ? { discount_id: discount, allow_discount_codes: false }
      : options.promotion_codes !== undefined && { allow_discount_codes: options.promotion_codes }),
    ...(options.locale !== undefined && { locale: options.locale }),
    // Otherwise Polar would give the product's own trial.
    ...(recurring !== null && trialDays > 0 ? trial : { allow_trial: false }),
  }
}

/**
 * A subscription that is paid up, or on trial, ends with its period. Any other is revoked, which voids its open orders: a past due one
 * would be charged until its dunning is over, whatever end is scheduled.
 */
async function stopCharging(api: PolarCore, id: string): Promise<void> {
  const subscription = await scheduleEnd(api, id)
  if (hasEnded(subscription)) return
  if (!['active', 'trialing'].includes(subscription.status)) return revoke(api, id)
  if (toCancellation(subscription).cancelAt !== null) return
  throw new ProcessorError('polar', 'unavailable', 'the cancellation was undone concurrently', { answered: true })
}

/**
 * Schedules the end and returns the result. A subscription that already has a scheduled end, or has ended, stays unchanged; so does a
 * paused one, which can only be revoked.
 */
const scheduleEnd = (api: PolarCore, id: string, why: Omit<models.SubscriptionCancel, 'cancel_at_period_end'> = {}) =>
  unlessCanceled(api, id, updateSubscriptions(api)(id, { cancel_at_period_end: true, ...why }))

/**
 * The reply to a change, or the current subscription if Polar refuses the change because of an end. It is read with an empty change: Polar
 * answers that from its primary database, and a GET from a replica, which may be older than the end.
 */
async function unlessCanceled(api: PolarCore, id: string, change: Promise<unknown>): Promise<Subscription> {
  try {
    return parse(Subscription, await change)
  } catch (error) {
    if (!isAlreadyCanceled(error)) throw error
    return parse(Subscription, await updateSubscriptions(api)(id, {}))
  }
}

/**
 * Ends a subscription at once. Polar refuses if it has ended already, which changes nothing. Throws if Polar accepts that and its reply does
 * not show the end.
 */
async function revoke(api: PolarCore, id: string): Promise<void> {
  const subscription = await unlessCanceled(api, id, revokeSubscriptions(api)(id))
  if (hasEnded(subscription)) return
  throw new ProcessorError('polar', 'unavailable', 'the subscription has not ended', { answered: true })
}

const isAlreadyCanceled = (error: unknown) =>
  error instanceof PolarRefusal && error.code === 'AlreadyCanceledSubscription'

/** Number of orders read per subscription: others may follow the order of its period. */
const RECENT = 20
const LONGEST_LIST = 100

async function observe(api: PolarCore, { kind, id }: PurchaseReference): Promise<PolarObserved | null> {
  switch (kind) {
    case 'page': {
      const checkout = await find(getCheckouts(api)(id), Checkout)
      const none = { checkout, subscription: null, orders: [], disputes: [] }
      if (checkout?.status !== 'succeeded') return none
      const [order] = parse(Orders, await listOrders(api)({ checkout_id: id, limit: 1 })).items
      return order ? { ...(await observeOrder(api, order)), checkout } : none
    }
    case 'subscription':
      return observeSubscription(api, id)
    case 'payment': {
      const order = await find(getOrders(api)(id), Order)
      return order && observeOrder(api, order)
    }
    default:
      return kind satisfies never
  }
}

/** If the order belongs to a subscription, that is the purchase. */
async function observeOrder(api: PolarCore, order: Order): Promise<PolarObserved> {
  const sold = order.subscription_id === null ? null : await observeSubscription(api, order.subscription_id)
  return sold ?? { checkout: null, subscription: null, orders: [order], disputes: await findDisputes(api, [order]) }
}

/**
 * If a period begins between the two reads, its order, which is not paid yet, is attributed to the last period, and the next read corrects
 * that.
 *
 * Polar sends no event for a dispute, but ends a subscription as soon as one is decided.
 */
async function observeSubscription(api: PolarCore, id: string): Promise<PolarObserved | null> {
  const subscription = await find(getSubscriptions(api)(id), Subscription)
  if (!subscription) return null
  const { items: orders } = parse(Orders, await listOrders(api)({ subscription_id: id, limit: RECENT }))
  const disputes = hasEnded(subscription) ? await findDisputes(api, orders) : []
  return { checkout: null, subscription, orders, disputes }
}

async function findDisputes(api: PolarCore, orders: readonly Order[]): Promise<Dispute[]> {
  if (orders.length === 0) return []
  return parse(Disputes, await listDisputes(api)({ order_id: orders.map(({ id }) => id), limit: LONGEST_LIST })).items
}

function decide({ checkout, subscription, orders, disputes }: PolarObserved): Decision<never> {
  const [order] = orders
  const isSold = subscription !== null || order !== undefined
  // A missing page may be too new for the replica that was read.
  const mayBePaid = checkout === null || ['open', 'confirmed', 'succeeded'].includes(checkout.status)
  const found = subscription
    ? subscriptionSnapshot(subscription, orders, disputes)
    : order
      ? orderSnapshot(order, disputes)
      : null
  const payments = [
    ...paidFacts(orders),
    ...disputes.flatMap(disputeFacts),
    ...(subscription ? firstFailure(subscription, orders) : []),
  ]
  const read = [checkout, subscription, ...orders, ...disputes].filter((record) => record !== null)
  return { found, isUndecided: !isSold && mayBePaid, todo: null, payments, versions: readVersions(read) }
}

/**
 * A portal shows everything that its customer has bought. If several users have bought as one customer, by entering the same e-mail
 * address, the portal is refused: it is not verified to whom the address belongs.
 *
 * @throws ProcessorError rejected
 */
async function refuseSharedCustomer(api: PolarCore, customer: string): Promise<void> {
  const { items } = parse(Orders, await listOrders(api)({ customer_id: customer, limit: LONGEST_LIST }))
  for (const order of items) {
    const sale = readSale(order)
    if (!sale || isOwnCustomer(sale, order.customer)) continue
    throw new ProcessorError('polar', 'rejected', 'the customer is shared by several users', { answered: true })
  }
}

/** Null if the account has no such object, or no longer has it. */
async function find<Schema extends z.ZodType>(
  reply: Promise<unknown>,
  schema: Schema,
): Promise<z.output<Schema> | null> {
  try {
    return parse(schema, await reply)
  } catch (error) {
    if (error instanceof PolarRefusal && error.isMissing) return null
    throw error
  }
}
