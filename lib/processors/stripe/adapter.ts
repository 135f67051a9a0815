// Stripe, through its official SDK. Stripe's checkout session is our hosted page, and its id the page's id.
import type Stripe from 'stripe'
import type { Adapter, AdapterOptions } from '../adapter.ts'
import { lookUp } from '../look-up.ts'
import type { CheckoutOrder, PurchaseReference } from '../processor.ts'
import { parse, stripeApi } from './api.ts'
import { endNow, endWithPeriod, stopCharging } from './charging.ts'
import { checkoutSessionFor } from './checkout-session.ts'
import { discountSubscription } from './discount-subscription.ts'
import { hasFailed, type PaidPurchase, readStripeEvent } from './events.ts'
import { CheckoutState, InvoicePayments, OpenedSession, PortalSession, Refund } from './objects.ts'
import { changePlan, previewPlanChange } from './plan-change.ts'
import { readReceipt } from './receipt.ts'
import { refundPayment } from './refund.ts'
import {
  asProcessorError,
  decideReply,
  disputedPayment,
  isRefusedEmail,
  isUnusableCustomer,
  type ObservedReply,
  subscriptionReference,
  toCancellation,
} from './translate.ts'

export function stripeAdapter(
  { secretKey, webhookSecret }: { secretKey: string; webhookSecret: string },
  options: AdapterOptions,
): Adapter<ObservedReply, never> {
  const api = stripeApi(secretKey, options)

  return {
    async openCheckout(order) {
      const session = parse(OpenedSession, await asking(createCheckoutSession(api, order)))
      return { pageId: session.id, url: session.url, expiresAt: session.expires_at }
    },

    async closeCheckout(pageId) {
      const { status } = parse(CheckoutState, await asking(api.checkout.sessions.retrieve(pageId)))
      if (status !== 'open') return status === 'expired'
      const expired = parse(CheckoutState, await asking(api.checkout.sessions.expire(pageId)))
      return expired.status === 'expired'
    },

    async cancelAtPeriodEnd(subscriptionId, reason) {
      const why = { cancellation_details: { comment: reason } }
      return toCancellation(await asking(endWithPeriod(api, subscriptionId, why)))
    },

    stopCharging: (subscriptionId) => asking(stopCharging(api, subscriptionId)),
    endNow: (subscriptionId) => asking(endNow(api, subscriptionId)),

    previewPlanChange: (change) => asking(previewPlanChange(api, change)),
    changePlan: (change, quoted) => asking(changePlan(api, change, quoted, options.now())),

    discountSubscription: (discounted) => asking(discountSubscription(api, discounted)),

    refundPayment: (order) => asking(refundPayment(api, order)),

    async openPortal(customer, returnUrl) {
      const session = await asking(api.billingPortal.sessions.create({ customer, return_url: returnUrl }))
      return parse(PortalSession, session).url
    },

    openReceipt: ({ id }) => asking(readReceipt(api, id, options.base)),

    async observe({ kind, id }) {
      const reply = await asking(READ[kind](api, id))
      const payment_intent = disputedPayment(kind, reply)
      if (payment_intent === null) return { kind, reply, disputes: null }
      return { kind, reply, disputes: await asking(api.disputes.list({ payment_intent })) }
    },
    decide: decideReply,
    async act() {},

    async failedRefunds(ids) {
      const refunds = await Promise.all(ids.map((id) => asking(api.refunds.retrieve(id))))
      return refunds.map((refund) => parse(Refund, refund)).flatMap(({ id, status }) => (hasFailed(status) ? [id] : []))
    },

    readEvent: (request, hold = null) =>
      readStripeEvent(api, (paymentIntent) => findPurchase(api, paymentIntent, hold), webhookSecret, request),
  }
}

const READ: Record<PurchaseReference['kind'], (api: Stripe, id: string) => Promise<unknown>> = {
  page: (api, id) =>
    api.checkout.sessions.retrieve(id, {
      expand: ['subscription.latest_invoice', 'subscription.schedule', 'payment_intent.latest_charge'],
    }),
  subscription: (api, id) => api.subscriptions.retrieve(id, { expand: ['latest_invoice', 'schedule'] }),
  payment: (api, id) => api.paymentIntents.retrieve(id, { expand: ['latest_charge'] }),
}

/** Awaits a call to Stripe and translates its errors. All calls use it. */
async function asking<Reply>(reply: Promise<Reply>): Promise<Reply> {
  try {
    return await reply
  } catch (error) {
    throw asProcessorError(error)
  }
}

/**
 * If a payment paid an invoice of a subscription, the invoice names that; else it belongs to a one-time purchase, which may have an
 * invoice of its own.
 */
async function findPurchase(api: Stripe, paymentIntent: string | null, hold: number | null): Promise<PaidPurchase> {
  if (!paymentIntent) return { about: null, paymentId: null }
  const payment = { type: 'payment_intent', payment_intent: paymentIntent } as const
  const reply = await lookUp('stripe', hold, () =>
    asking(api.invoicePayments.list({ payment, expand: ['data.invoice'] })),
  )
  const [paid] = parse(InvoicePayments, reply).data
  const subscription = paid ? subscriptionReference(paid.invoice) : null
  if (paid && subscription) return { about: subscription, paymentId: paid.invoice.id }
  return { about: { kind: 'payment', id: paymentIntent }, paymentId: paymentIntent }
}

/**
 * Stripe bills a customer in one currency at a time, so a buyer has one customer per currency. If Stripe rejects the stored one, the sale
 * is made with a new one: the owner may have switched accounts, or may have sold that customer something in another currency. The second
 * call needs another idempotency key, because Stripe has stored its refusal under the first.
 */
async function createCheckoutSession(api: Stripe, order: CheckoutOrder): Promise<Stripe.Checkout.Session> {
  const customer = order.customers[order.currency] ?? null
  if (customer === null) return createForNobody(api, order, order.key)
  try {
    return await api.checkout.sessions.create(checkoutSessionFor(order, customer), { idempotencyKey: order.key })
  } catch (error) {
    if (!isUnusableCustomer(error)) throw error
    return createForNobody(api, order, `${order.key}:new-customer`)
  }
}

/**
 * Creates a session without a customer. Stripe rejects some e-mail addresses, such as those of a domain that does not exist: then its page
 * asks the buyer for one.
 */
async function createForNobody(
  api: Stripe,
  order: CheckoutOrder,
  idempotencyKey: string,
): Promise<Stripe.Checkout.Session> {
  try {
    return await api.checkout.sessions.create(checkoutSessionFor(order, null), { idempotencyKey })
  } catch (error) {
    if (order.email === null || !isRefusedEmail(error)) throw error
    const withoutEmail = checkoutSessionFor({ ...order, email: null }, null)
    return api.checkout.sessions.create(withoutEmail, { idempotencyKey: `${idempotencyKey}:no-email` })
  }
}
