import type { models, PolarCore } from '@polar-sh/sdk/2026-10'
import { createCheckouts, getCheckouts } from '@polar-sh/sdk/2026-10/services/checkouts'
import { createCustomerSessions } from '@polar-sh/sdk/2026-10/services/customer_sessions'
import { getOrders, listOrders } from '@polar-sh/sdk/2026-10/services/orders'
import { getSubscriptions, updateSubscriptions } from '@polar-sh/sdk/2026-10/services/subscriptions'
import type * as z from 'zod'
import type { Adapter, AdapterOptions, Decision } from '../adapter.ts'
import { type CheckoutOrder, ProcessorError, type PurchaseReference } from '../processor.ts'
import { PolarRefusal, polarApi } from './api.ts'
import { readPolarEvent } from './events.ts'
import { Checkout, Order, Orders, PortalSession, type Sale, Subscription } from './objects.ts'
import { cancellationOf, isOwnCustomer, saleOf, snapshotOfOrder, snapshotOfSubscription } from './translate.ts'

/** What Polar has of a purchase. `order`: the latest of the subscription's periods, or the one-time purchase itself. */
export interface PolarObserved {
  checkout: Checkout | null
  subscription: Subscription | null
  order: Order | null
}

/**
 * Polar, through the official SDK. It makes and ends subscriptions itself, so there is never anything left to be done.
 */
export function polarAdapter(
  { accessToken, webhookSecret }: Record<'accessToken' | 'webhookSecret', string>,
  options: AdapterOptions,
): Adapter<PolarObserved, never> {
  const api = polarApi(accessToken, options)

  return {
    async openCheckout(order) {
      const { id, url } = Checkout.parse(await createCheckout(api, order))
      return { pageId: id, url }
    },

    async cancelAtPeriodEnd(id, reason) {
      try {
        const cancellation = { customer_cancellation_reason: 'other', customer_cancellation_comment: reason } as const
        const reply = await updateSubscriptions(api)(id, { cancel_at_period_end: true, ...cancellation })
        return cancellationOf(Subscription.parse(reply))
      } catch (error) {
        if (!(error instanceof PolarRefusal && error.code === 'AlreadyCanceledSubscription')) throw error
        return cancellationOf(Subscription.parse(await getSubscriptions(api)(id)))
      }
    },

    async openPortal(customer, returnUrl) {
      await refuseSharedCustomer(api, customer)
      const session = await createCustomerSessions(api)({ customer_id: customer, return_url: returnUrl })
      return PortalSession.parse(session).customer_portal_url
    },

    observe: (reference) => observe(api, reference),
    decide,
    async act() {},
    readEvent: (inbound) => readPolarEvent(webhookSecret, inbound),
  }
}

/**
 * The buyer is a customer of Polar's by our user id, which Polar makes one of if it has none; or the one that sold to it
 * before, since after a merge of users that has another's id. If the account does not have that one any more, the owner has
 * changed accounts, and the sale is made by the user id.
 */
async function createCheckout(api: PolarCore, order: CheckoutOrder): Promise<unknown> {
  try {
    return await createCheckouts(api)(checkoutFor(order, order.customer))
  } catch (error) {
    const isUnknown = error instanceof PolarRefusal && error.fields.includes('body.customer_id')
    if (order.customer === null || !isUnknown) throw error
    return createCheckouts(api)(checkoutFor(order, null))
  }
}

function checkoutFor(order: CheckoutOrder, customer: string | null): models.CheckoutCreate {
  const { trialDays, recurring, email } = order
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
    // Without it a trial of the product's own would be given.
    ...(recurring !== null && trialDays > 0 ? trial : { allow_trial: false }),
  }
}

/** The orders of a subscription's periods that are looked at: other orders of it may have come between. */
const RECENT = 20
const LONGEST_LIST = 100

async function observe(api: PolarCore, { kind, id }: PurchaseReference): Promise<PolarObserved | null> {
  switch (kind) {
    case 'page': {
      const checkout = await find(getCheckouts(api)(id), Checkout)
      if (!checkout) return null
      const none = { checkout, subscription: null, order: null }
      if (checkout.status !== 'succeeded') return none
      const [order] = Orders.parse(await listOrders(api)({ checkout_id: id, limit: 1 })).items
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

/** An order may be of a subscription: then that is the purchase. */
async function observeOrder(api: PolarCore, order: Order): Promise<PolarObserved> {
  const sold = order.subscription_id === null ? null : await observeSubscription(api, order.subscription_id)
  return sold ?? { checkout: null, subscription: null, order }
}

/**
 * The orders are read after the subscription: if a period begins between, its order, which is not paid yet, is taken for the
 * last period's, and the next look puts that right. Read the other way round, the new period would count as paid.
 */
async function observeSubscription(api: PolarCore, id: string): Promise<PolarObserved | null> {
  const subscription = await find(getSubscriptions(api)(id), Subscription)
  if (!subscription) return null
  const { items } = Orders.parse(await listOrders(api)({ subscription_id: id, limit: RECENT }))
  const isOfPeriod = ({ billing_reason: reason }: Order) =>
    reason === 'subscription_create' || reason === 'subscription_cycle'
  return { checkout: null, subscription, order: items.find(isOfPeriod) ?? null }
}

function decide({ checkout, subscription, order }: PolarObserved): Decision<never> {
  const isSold = subscription !== null || order !== null
  const mayBePaid = checkout !== null && ['open', 'confirmed', 'succeeded'].includes(checkout.status)
  const found = subscription ? snapshotOfSubscription(subscription, order) : order && snapshotOfOrder(order)
  return { found, isUndecided: !isSold && mayBePaid, todo: null }
}

/**
 * A portal shows all that its customer has bought. A customer that somebody else has bought as, by entering the same e-mail
 * address, gets none: nobody has proven which of them the address belongs to.
 *
 * @throws ProcessorError rejected
 */
async function refuseSharedCustomer(api: PolarCore, customer: string): Promise<void> {
  const { items } = Orders.parse(await listOrders(api)({ customer_id: customer, limit: LONGEST_LIST }))
  for (const order of items) {
    const sale = saleOf(order)
    if (!sale || isOwnCustomer(sale, order.customer)) continue
    throw new ProcessorError('polar', 'rejected', 'the customer is shared by several users', { answered: true })
  }
}

/** Null if the account has no such object, or none any more. */
async function find<Schema extends z.ZodType>(
  reply: Promise<unknown>,
  schema: Schema,
): Promise<z.output<Schema> | null> {
  try {
    return schema.parse(await reply)
  } catch (error) {
    if (error instanceof PolarRefusal && error.isMissing) return null
    throw error
  }
}
