import type Stripe from 'stripe'
import type { Credentials } from '../credentials.ts'
import type { CheckoutOrder, Processor, PurchaseReference, PurchaseSnapshot } from '../processor.ts'
import { stripeApi } from './api.ts'
import { asProcessorError, isUnusableCustomer } from './errors.ts'
import { cancellationOf, snapshotOfPage, snapshotOfPayment, snapshotOfSubscription } from './snapshots.ts'

/**
 * Stripe, through its official SDK. What Stripe calls a checkout session is a hosted page here, and its id the page's. An
 * empty `apiBase` means api.stripe.com.
 */
export function stripe(credentials: Credentials<'stripe'>, options: { paywallId: string; apiBase: string }): Processor {
  const api = stripeApi(credentials.secretKey, options.apiBase)

  return {
    acquiring: 'stripe',
    tellsOfCancellations: true,

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

    async fetchPurchase(reference) {
      const snapshot = await asking(fetchSnapshot(api, reference))
      return snapshot?.paywallId === options.paywallId ? snapshot.purchase : null
    },
  }
}

/** Awaits a call to Stripe and translates its errors. Every call goes through here. */
async function asking<Reply>(reply: Promise<Reply>): Promise<Reply> {
  try {
    return await reply
  } catch (error) {
    throw asProcessorError(error)
  }
}

async function fetchSnapshot(
  api: Stripe,
  { kind, id }: PurchaseReference,
): Promise<{ paywallId: string; purchase: PurchaseSnapshot } | null> {
  switch (kind) {
    case 'page':
      return snapshotOfPage(
        await api.checkout.sessions.retrieve(id, {
          expand: ['subscription.latest_invoice', 'payment_intent.latest_charge'],
        }),
      )
    case 'subscription':
      return snapshotOfSubscription(await api.subscriptions.retrieve(id, { expand: ['latest_invoice'] }))
    case 'payment':
      return snapshotOfPayment(await api.paymentIntents.retrieve(id, { expand: ['latest_charge'] }))
    default:
      return kind satisfies never
  }
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
