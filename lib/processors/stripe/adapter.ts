// Stripe, through its official SDK. What Stripe calls a checkout session is a hosted page here, and its id the page's.
import Stripe from 'stripe'
import type { Adapter, AdapterOptions } from '../adapter.ts'
import type { CheckoutOrder, PurchaseReference } from '../processor.ts'
import { readStripeEvent } from './events.ts'
import { InvoicePayments } from './objects.ts'
import {
  asProcessorError,
  cancellationOf,
  decideReply,
  isUnusableCustomer,
  type ObservedReply,
  subscriptionOf,
} from './translate.ts'

/**
 * The SDK makes two attempts. Only a checkout for a customer that Stripe does not take makes two calls, and may so outlast its
 * claim's lease: then the next attempt repeats both under the same keys.
 */
const TIMEOUT_MS = 8_000

export function stripeAdapter(
  { secretKey, webhookSecret }: { secretKey: string; webhookSecret: string },
  options: AdapterOptions,
): Adapter<ObservedReply, never> {
  const api = stripeApi(secretKey, options)

  return {
    async openCheckout(order) {
      const session = await asking(createCheckoutSession(api, order))
      if (!session.url) throw new Error(`Stripe opened checkout session ${session.id} without an address`)
      return { pageId: session.id, url: session.url }
    },

    async closeCheckout(pageId) {
      const session = await asking(api.checkout.sessions.retrieve(pageId))
      if (session.status !== 'open') return session.status === 'expired'
      return (await asking(api.checkout.sessions.expire(pageId))).status === 'expired'
    },

    async cancelAtPeriodEnd(subscriptionId, reason) {
      const change = { cancel_at_period_end: true, cancellation_details: { comment: reason } }
      return cancellationOf(await asking(api.subscriptions.update(subscriptionId, change)))
    },

    async openPortal(customer, returnUrl) {
      const session = await asking(api.billingPortal.sessions.create({ customer, return_url: returnUrl }))
      return session.url
    },

    observe: async ({ kind, id }) => ({ kind, reply: await asking(READ[kind](api, id)) }),
    decide: decideReply,
    async act() {},

    readEvent: (inbound) =>
      readStripeEvent(api, (paymentIntent) => purchaseOf(api, paymentIntent), webhookSecret, inbound),
  }
}

const READ: Record<PurchaseReference['kind'], (api: Stripe, id: string) => Promise<unknown>> = {
  page: (api, id) =>
    api.checkout.sessions.retrieve(id, { expand: ['subscription.latest_invoice', 'payment_intent.latest_charge'] }),
  subscription: (api, id) => api.subscriptions.retrieve(id, { expand: ['latest_invoice'] }),
  payment: (api, id) => api.paymentIntents.retrieve(id, { expand: ['latest_charge'] }),
}

function stripeApi(secretKey: string, { base, fetch }: AdapterOptions): Stripe {
  return new Stripe(secretKey, {
    apiVersion: '2026-10-28.endive',
    httpClient: Stripe.createFetchHttpClient(fetch),
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(base !== null && address(base)),
  })
}

function address(base: string) {
  const { protocol, hostname, port } = new URL(base)
  return { protocol: protocol === 'http:' ? 'http' : 'https', host: hostname, ...(port && { port }) } as const
}

/** Awaits a call to Stripe and translates its errors. Every call goes through here. */
async function asking<Reply>(reply: Promise<Reply>): Promise<Reply> {
  try {
    return await reply
  } catch (error) {
    throw asProcessorError(error)
  }
}

/** If a payment paid an invoice, the invoice names the subscription; else it is of a one-time purchase. */
async function purchaseOf(api: Stripe, paymentIntent: string | null): Promise<PurchaseReference | null> {
  if (!paymentIntent) return null
  const payment = { type: 'payment_intent', payment_intent: paymentIntent } as const
  const [paid] = InvoicePayments.parse(
    await asking(api.invoicePayments.list({ payment, expand: ['data.invoice'] })),
  ).data
  return paid ? subscriptionOf(paid.invoice) : { kind: 'payment', id: paymentIntent }
}

/**
 * Stripe bills a customer in one currency at a time, so a buyer is one customer for each currency. If Stripe does not take the
 * stored one, the sale is made with a new one: the owner may have changed accounts, or may have given that customer something
 * in another currency. The second call needs another idempotency key, because Stripe has stored its refusal under the first.
 */
async function createCheckoutSession(api: Stripe, order: CheckoutOrder): Promise<Stripe.Checkout.Session> {
  const customer = order.customers[order.currency] ?? null
  try {
    return await api.checkout.sessions.create(checkoutSessionFor(order, customer), { idempotencyKey: order.key })
  } catch (error) {
    if (customer === null || !isUnusableCustomer(error)) throw error
    const idempotencyKey = `${order.key}:new-customer`
    return api.checkout.sessions.create(checkoutSessionFor(order, null), { idempotencyKey })
  }
}

function checkoutSessionFor(order: CheckoutOrder, customer: string | null): Stripe.Checkout.SessionCreateParams {
  const metadata = { checkout_id: order.checkoutId, paywall_id: order.paywallId, user_id: order.userId }
  return {
    line_items: [{ price: order.processorPrice, quantity: 1 }],
    success_url: order.successUrl,
    cancel_url: order.errorUrl,
    client_reference_id: order.userId,
    metadata,
    ...(customer ? { customer } : order.email && { customer_email: order.email }),
    ...(order.recurring
      ? {
          mode: 'subscription',
          subscription_data: { metadata, ...(order.trialDays > 0 && { trial_period_days: order.trialDays }) },
        }
      : { mode: 'payment', payment_intent_data: { metadata } }),
  }
}
