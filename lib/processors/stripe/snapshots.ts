// How Stripe's replies become a purchase. A reply's shape depends on the account's settings, so each is parsed first. Then
// its metadata says if it is one of our sales, and its fields are translated. Nothing is fetched here.
import * as z from 'zod'
import type { Cancellation, PurchaseSnapshot, PurchaseStatus } from '../processor.ts'
import { fromStripe } from './currencies.ts'

const seconds = z.int().transform((value) => new Date(value * 1000))
const currency = z.string().length(3).toUpperCase()
const ours = z.object({ checkout_id: z.uuid(), paywall_id: z.string() })
const email = z.string().nullish()
const customer = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullable()

const Subscription = z.object({
  id: z.string(),
  customer,
  status: z.enum([
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'canceled',
    'unpaid',
    'paused',
  ]),
  metadata: z.unknown(),
  cancel_at_period_end: z.boolean(),
  cancel_at: seconds.nullable(),
  canceled_at: seconds.nullable(),
  trial_start: seconds.nullable(),
  trial_end: seconds.nullable(),
  items: z.object({
    data: z
      .array(
        z.object({
          current_period_start: seconds,
          current_period_end: seconds,
          price: z.object({
            currency,
            unit_amount: z.int().nullable(),
            recurring: z.object({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: z.int() }),
          }),
        }),
      )
      .min(1),
  }),
})

const WithInvoice = Subscription.extend({
  latest_invoice: z.object({ status: z.string().nullable(), customer_email: email }).nullable(),
})

const PaymentIntent = z.object({
  id: z.string(),
  customer,
  metadata: z.unknown(),
  status: z.string(),
  amount: z.int(),
  currency,
  latest_charge: z.object({ refunded: z.boolean(), billing_details: z.object({ email }).nullish() }).nullable(),
})

const CheckoutSession = z.object({
  id: z.string(),
  customer,
  status: z.enum(['open', 'complete', 'expired']),
  metadata: z.unknown(),
  amount_total: z.int().nullable(),
  currency: currency.nullable(),
  customer_details: z.object({ email }).nullish(),
  subscription: z.unknown(),
  payment_intent: z.unknown(),
})

type Found = { paywallId: string; purchase: PurchaseSnapshot } | null

/** The purchase of a hosted page; null until the page is completed. */
export function snapshotOfPage(reply: unknown): Found {
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

export function snapshotOfPayment(reply: unknown): Found {
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
export function snapshotOfSubscription(reply: unknown): Found {
  const subscription = WithInvoice.parse(reply)
  const metadata = ours.safeParse(subscription.metadata)
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
): Found {
  const sale = ours.safeParse(metadata)
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
function isCovered({ status, latest_invoice: invoice }: z.output<typeof WithInvoice>): boolean {
  return status === 'trialing' || invoice === null || invoice.status === 'paid'
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
