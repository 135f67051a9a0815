// How Stripe's replies become a purchase: its metadata says if it is one of our sales, and its fields are translated. And how
// its errors become ours. Nothing is fetched here.
import Stripe from 'stripe'
import type * as z from 'zod'
import type { Decision, Found } from '../adapter.ts'
import {
  type Cancellation,
  ProcessorError,
  type PurchaseReference,
  type PurchaseSnapshot,
  type PurchaseStatus,
} from '../processor.ts'
import { fromStripe } from './definition.ts'
import {
  CheckoutSession,
  type InvoiceOfPayment,
  PaymentIntent,
  Sale,
  Subscription,
  SubscriptionWithInvoice,
} from './objects.ts'

/** A reply of Stripe, and what it is about. */
export interface ObservedReply {
  kind: 'page' | 'subscription' | 'payment'
  reply: unknown
}

/** Stripe does by itself all that a purchase needs. A page of Stripe's is completed before the buyer is sent back. */
export function decideReply({ kind, reply }: ObservedReply): Decision<never> {
  return { found: SNAPSHOTS[kind](reply), isUndecided: false, todo: null }
}

const SNAPSHOTS = { page: snapshotOfPage, subscription: snapshotOfSubscription, payment: snapshotOfPayment }

/** The purchase of a hosted page; null until the page is completed. */
function snapshotOfPage(reply: unknown): Found | null {
  const session = CheckoutSession.parse(reply)
  if (session.status !== 'complete') return null
  if (session.subscription) return snapshotOfSubscription(session.subscription)
  if (session.payment_intent) return snapshotOfPayment(session.payment_intent)
  const paidIn = session.currency ?? 'USD'
  return oneTime(session.metadata, {
    processorId: session.id,
    customer: session.customer,
    buyerEmail: session.customer_details?.email ?? null,
    status: 'active',
    unitAmount: fromStripe(session.amount_total ?? 0, paidIn),
    currency: paidIn,
  })
}

function snapshotOfPayment(reply: unknown): Found | null {
  const payment = PaymentIntent.parse(reply)
  return oneTime(payment.metadata, {
    processorId: payment.id,
    customer: payment.customer,
    buyerEmail: payment.latest_charge?.billing_details?.email ?? null,
    status: paymentStatus(payment.status, payment.latest_charge?.refunded ?? false),
    unitAmount: fromStripe(payment.amount, payment.currency),
    currency: payment.currency,
  })
}

/** The scheduled end, from the reply to a cancellation. */
export function cancellationOf(reply: unknown): Cancellation {
  const subscription = Subscription.parse(reply)
  return {
    status: subscriptionStatus(subscription.status),
    cancelAt: subscription.cancel_at,
    canceledAt: subscription.canceled_at,
  }
}

/** The purchase of a subscription whose `latest_invoice` is expanded. */
function snapshotOfSubscription(reply: unknown): Found | null {
  const subscription = SubscriptionWithInvoice.parse(reply)
  const metadata = Sale.safeParse(subscription.metadata)
  if (!metadata.success) return null

  const [item] = subscription.items.data
  const periodEnd = latest(subscription.items.data.map((each) => each.current_period_end))
  // The portal sets `cancel_at`, the API sets the flag: either means that it will not renew.
  const cancels = subscription.cancel_at_period_end || subscription.cancel_at !== null
  return {
    paywallId: metadata.data.paywall_id,
    purchase: {
      processorId: subscription.id,
      checkoutId: metadata.data.checkout_id,
      customer: subscription.customer,
      buyerEmail: subscription.latest_invoice?.customer_email ?? null,
      status: subscriptionStatus(subscription.status),
      begun: subscription.status !== 'incomplete' && subscription.status !== 'incomplete_expired',
      periodCovered: isCovered(subscription),
      interval: item!.price.recurring.interval,
      intervalCount: item!.price.recurring.interval_count,
      unitAmount: fromStripe(item!.price.unit_amount ?? 0, item!.price.currency),
      currency: item!.price.currency,
      currentPeriodStart: latest(subscription.items.data.map((each) => each.current_period_start)),
      currentPeriodEnd: periodEnd,
      trialStart: subscription.trial_start,
      trialEnd: subscription.trial_end,
      cancelAtPeriodEnd: cancels,
      cancelAt: subscription.cancel_at ?? (cancels ? periodEnd : null),
      canceledAt: subscription.canceled_at,
    },
  }
}

function oneTime(
  metadata: unknown,
  facts: Pick<PurchaseSnapshot, 'processorId' | 'customer' | 'buyerEmail' | 'status' | 'unitAmount' | 'currency'>,
): Found | null {
  const sale = Sale.safeParse(metadata)
  if (!sale.success) return null
  const none = { currentPeriodStart: null, currentPeriodEnd: null, trialStart: null, trialEnd: null }
  const never = { interval: null, intervalCount: null, cancelAtPeriodEnd: false, cancelAt: null, canceledAt: null }
  const isPaid = facts.status === 'active' || facts.status === 'refunded'
  return {
    paywallId: sale.data.paywall_id,
    purchase: { ...facts, ...none, ...never, checkoutId: sale.data.checkout_id, begun: isPaid, periodCovered: isPaid },
  }
}

/** At a renewal, and after a trial, Stripe begins the new period first and charges its invoice about an hour later. */
function isCovered({ status, latest_invoice: invoice }: z.output<typeof SubscriptionWithInvoice>): boolean {
  return status === 'trialing' || invoice === null || invoice.status === 'paid'
}

/** The subscription that an invoice is of; null: none. */
export function subscriptionOf({ parent }: z.output<typeof InvoiceOfPayment>): PurchaseReference | null {
  const id = parent?.subscription_details?.subscription
  return id ? { kind: 'subscription', id } : null
}

function subscriptionStatus(status: z.output<typeof Subscription>['status']): PurchaseStatus {
  switch (status) {
    case 'incomplete':
      return 'pending'
    case 'trialing':
    case 'active':
    case 'past_due':
    case 'paused':
      return status
    // Stripe has stopped charging it, but it has not ended: once its invoice is paid, it is active again.
    case 'unpaid':
      return 'past_due'
    case 'canceled':
    case 'incomplete_expired':
      return 'canceled'
  }
}

/** Of the payment of a completed page: one that is open may have been declined before, and is no purchase yet. */
function paymentStatus(status: string, refunded: boolean): PurchaseStatus {
  if (refunded) return 'refunded'
  switch (status) {
    case 'succeeded':
      return 'active'
    // A delayed payment that has failed waits for another payment method, which nobody can enter on a completed page.
    case 'requires_payment_method':
    case 'canceled':
      return 'canceled'
    default:
      return 'pending'
  }
}

function latest(times: Date[]): Date {
  return new Date(Math.max(...times.map((time) => time.getTime())))
}

/** Translates an error of the SDK by what the caller can do about it. Any other error is returned as it is. */
export function asProcessorError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  const { kind, answered } = classify(error)
  // Stripe's message may quote an e-mail address, which must not get into the log; `code` and `param` say enough.
  const what = [error.type, error.code, error.param].filter(Boolean).join(' ')
  return new ProcessorError('stripe', kind, `${what} (${error.statusCode ?? 'no answer'}, ${error.requestId ?? '-'})`, {
    answered,
  })
}

/**
 * Whether Stripe refused a call because of the customer that it names: the account does not have it, or it has a subscription
 * or an open page in another currency, for which Stripe has a sentence and no code.
 */
export function isUnusableCustomer(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return false
  return (
    (error.code === 'resource_missing' && error.param === 'customer') ||
    error.message.startsWith('You cannot combine currencies on a single customer')
  )
}

function classify(error: Stripe.errors.StripeError): Pick<ProcessorError, 'kind' | 'answered'> {
  const { errors } = Stripe
  if (error instanceof errors.StripeConnectionError) return { kind: 'unavailable', answered: false }
  // 409: a call with the same idempotency key is still running at Stripe, so its outcome is not known yet.
  if (error.statusCode === 409) return { kind: 'unavailable', answered: false }
  if (error instanceof errors.StripeRateLimitError) return { kind: 'unavailable', answered: true }
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError) {
    return { kind: 'misconfigured', answered: true }
  }
  // Stripe stores a 5xx under its idempotency key and replays it for a day, so a repeat needs another key.
  if ((error.statusCode ?? 500) >= 500) return { kind: 'unavailable', answered: true }
  return { kind: 'rejected', answered: true }
}
