// Translates Stripe's replies to a purchase, which is ours if its metadata says so, and Stripe's errors to ours. Nothing is fetched here.
import Stripe from 'stripe'
import type * as z from 'zod'
import type { Decision, Found } from '../adapter.ts'
import {
  type Cancellation,
  ONE_TIME,
  type PaymentFact,
  ProcessorError,
  type PurchaseReference,
  type PurchaseSnapshot,
  type PurchaseStatus,
  type ScheduledChange,
  UnexpectedReply,
} from '../processor.ts'
import { readRetryAfter } from '../rest.ts'
import { FOREIGN, parse, UNEXPECTED } from './api.ts'
import { fromStripe } from './definition.ts'
import {
  CheckoutSession,
  type Dispute,
  DisputedPayment,
  Disputes,
  ExpandedSchedule,
  PaidPage,
  PaymentIntent,
  type PaymentInvoice,
  ReceiptedPayment,
  Sale,
  Subscription,
  SubscriptionWithInvoice,
} from './objects.ts'

/** The final statuses of a dispute. One closed with a warning was an inquiry that led to no dispute. */
export const DISPUTE_DECISIONS: Readonly<Record<string, PaymentFact['kind']>> = {
  lost: 'dispute_lost',
  won: 'dispute_won',
  warning_closed: 'dispute_won',
}

/** A reply of Stripe with its kind; `disputes` are those of a one-time payment that has any. */
export interface ObservedReply {
  kind: 'page' | 'subscription' | 'payment'
  reply: unknown
  disputes: unknown
}

/** Stripe manages a purchase by itself, so no action is ever pending. Its page is completed before the buyer is redirected. */
export function decideReply({ kind, reply, disputes }: ObservedReply, now: Date): Decision<never> {
  const { data = [] } = disputes === null ? {} : parse(Disputes, disputes)
  const isLost = data.some(({ status }) => status === 'lost')
  const found = SNAPSHOTS[kind](reply, { isLost, now })
  const payments = found ? data.flatMap((dispute) => disputeFacts(dispute, found.purchase.processorId, now)) : []
  const receiptUrl = found && oneTimeReceipt(kind, reply)
  return { found, isUndecided: false, todo: null, payments, ...(receiptUrl && { receiptUrl }) }
}

/** Stripe does not show when a dispute was decided. */
function disputeFacts({ id, status, amount, currency, created }: Dispute, paymentId: string, now: Date): PaymentFact[] {
  const money = { id, paymentId, amount: fromStripe(amount, currency), currency }
  const decision = DISPUTE_DECISIONS[status]
  return [
    { kind: 'disputed', ...money, occurredAt: created },
    ...(decision ? [{ kind: decision, ...money, occurredAt: now }] : []),
  ]
}

/** When a reply is read, and whether a dispute of its payment is lost, which is read separately. */
interface Moment {
  isLost: boolean
  now: Date
}

const SNAPSHOTS = { page: pageSnapshot, subscription: subscriptionSnapshot, payment: paymentSnapshot }

/** The one-time payment of a reply if its charge was disputed: the dispute's status is fetched separately. */
export function disputedPayment(kind: ObservedReply['kind'], reply: unknown): string | null {
  return DisputedPayment.safeParse(oneTimePayment(kind, reply)).data?.id ?? null
}

/** The receipt of a one-time payment. The webhook of its page contains the payment's id only. */
const oneTimeReceipt = (kind: ObservedReply['kind'], reply: unknown): string | null =>
  ReceiptedPayment.safeParse(oneTimePayment(kind, reply)).data?.latest_charge.receipt_url ?? null

/** The one-time payment in a reply; null in that of a subscription. */
function oneTimePayment(kind: ObservedReply['kind'], reply: unknown): unknown {
  if (kind === 'subscription') return null
  return kind === 'page' ? PaidPage.safeParse(reply).data?.payment_intent : reply
}

/** The purchase of a hosted page; null until the page is completed. */
function pageSnapshot(reply: unknown, moment: Moment): Found | null {
  const session = parse(CheckoutSession, reply)
  if (session.status !== 'complete') return null
  const paidIn = session.currency ?? 'USD'
  const total = fromStripe(session.amount_total ?? 0, paidIn)
  if (session.subscription) return withCharged(subscriptionSnapshot(session.subscription, moment), total)
  if (session.payment_intent) return paymentSnapshot(session.payment_intent, moment)
  return oneTime(session.metadata, {
    processorId: session.id,
    startedAt: session.created,
    customer: session.customer,
    buyerEmail: session.customer_details?.email ?? null,
    status: 'active',
    unitAmount: total,
    currency: paidIn,
  })
}

/** A page shows the amount of its payment, even after the subscription has got other invoices. */
function withCharged(found: Found | null, total: number): Found | null {
  return found && { ...found, purchase: { ...found.purchase, charged: found.purchase.begun ? total : null } }
}

function paymentSnapshot(reply: unknown, { isLost }: Moment): Found | null {
  const payment = parse(PaymentIntent, reply)
  return oneTime(payment.metadata, {
    processorId: payment.id,
    startedAt: payment.created,
    customer: payment.customer,
    buyerEmail: payment.latest_charge?.billing_details?.email ?? null,
    status: paymentStatus(payment.status, isLost || (payment.latest_charge?.refunded ?? false)),
    unitAmount: fromStripe(payment.amount, payment.currency),
    currency: payment.currency,
  })
}

/** The scheduled end, from the reply to a cancellation. */
export function toCancellation(reply: unknown): Cancellation {
  const subscription = parse(Subscription, reply)
  return {
    status: subscriptionStatus(subscription.status),
    cancelAtPeriodEnd: endsWithPeriod(subscription),
    cancelAt: subscription.cancel_at,
    canceledAt: subscription.canceled_at,
  }
}

/** The purchase of a subscription whose `latest_invoice` and `schedule` are expanded. */
function subscriptionSnapshot(reply: unknown, { now }: Moment): Found | null {
  const subscription = parse(SubscriptionWithInvoice, reply)
  const metadata = Sale.safeParse(subscription.metadata)
  if (!metadata.success) return null

  const [item] = subscription.items.data
  const periodEnd = endOfPeriod(subscription)
  const cancels = endsWithPeriod(subscription)
  const begun = subscription.status !== 'incomplete' && subscription.status !== 'incomplete_expired'
  return {
    paywallId: metadata.data.paywall_id,
    purchase: {
      processorId: subscription.id,
      checkoutId: metadata.data.checkout_id,
      processorPrice: item!.price.id,
      startedAt: subscription.start_date,
      charged: begun ? firstCharge(subscription) : null,
      customer: subscription.customer,
      buyerEmail: subscription.latest_invoice?.customer_email ?? null,
      status: subscriptionStatus(subscription.status),
      begun,
      periodCovered: isCovered(subscription),
      priceCovered: isPriceCovered(subscription),
      changedInPeriod: isChangePaid(subscription),
      scheduledChange: scheduledChange(subscription, parse(ExpandedSchedule, reply), now),
      versions: {},
      interval: item!.price.recurring.interval,
      intervalCount: item!.price.recurring.interval_count,
      unitAmount: fromStripe(item!.price.unit_amount ?? 0, item!.price.currency),
      quantity: item!.quantity,
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
  facts: Pick<PurchaseSnapshot, 'processorId' | 'customer' | 'buyerEmail' | 'status' | 'unitAmount' | 'currency'> & {
    startedAt: Date
  },
): Found | null {
  const sale = Sale.safeParse(metadata)
  if (!sale.success) return null
  const isPaid = facts.status === 'active' || facts.status === 'refunded'
  return {
    paywallId: sale.data.paywall_id,
    purchase: {
      ...facts,
      checkoutId: sale.data.checkout_id,
      begun: isPaid,
      periodCovered: isPaid,
      ...ONE_TIME,
      // The payment does not name its price, which cannot change.
      processorPrice: null,
      charged: isPaid ? facts.unitAmount : null,
      priceCovered: true,
      changedInPeriod: false,
      versions: {},
    },
  }
}

type Billed = z.output<typeof SubscriptionWithInvoice>

/**
 * At a renewal, and after a trial, Stripe first begins the new period and charges its invoice about an hour later. A paused subscription
 * has ended its trial without a card.
 */
function isCovered(subscription: Billed): boolean {
  const { status, latest_invoice: invoice } = subscription
  if (status === 'trialing' || isChangeUnpaid(subscription)) return true
  return status !== 'paused' && (invoice === null || invoice.status === 'paid')
}

/**
 * Whether the latest invoice is that of a change of plan that was not made, because it waits for its payment, or was given up without it.
 * The period is then paid for at the old price, which the subscription still has.
 */
function isChangeUnpaid(subscription: Billed): boolean {
  const { status, latest_invoice: invoice, pending_update: pending } = subscription
  if (status !== 'active' || invoice?.billing_reason !== 'subscription_update' || invoice.status === 'paid')
    return false
  return (typeof pending === 'object' && pending !== null) || !chargesCurrentPrice(subscription)
}

/**
 * Whether the latest invoice charges for the subscription's current price. After a change of plan it does not if the difference is charged
 * with the next one. If it is charged at once, it has to be paid. A credit for unused time is no charge.
 */
function isPriceCovered(subscription: Billed): boolean {
  const { status, latest_invoice: invoice } = subscription
  if (status === 'trialing' || invoice === null || isChangeUnpaid(subscription)) return true
  if (invoice.billing_reason === 'subscription_update' && invoice.status !== 'paid') return false
  return chargesCurrentPrice(subscription)
}

/** Whether the latest invoice charges for the current price and quantity, or may do so in lines that are not included. */
function chargesCurrentPrice({ items, latest_invoice: invoice }: Billed): boolean {
  if (invoice === null) return false
  const { price, quantity } = items.data[0]!
  const isCharged = invoice.lines.data.some(
    (line) => line.amount >= 0 && line.pricing?.price_details?.price === price.id && line.quantity === quantity,
  )
  return isCharged || invoice.lines.has_more
}

/** Whether a change of plan was charged for at once, and is paid. */
const isChangePaid = ({ latest_invoice: invoice }: Billed): boolean =>
  invoice?.billing_reason === 'subscription_update' && invoice.status === 'paid'

/** The next phase of the schedule that has another price or quantity. */
function scheduledChange(
  { items }: Billed,
  { schedule }: z.output<typeof ExpandedSchedule>,
  now: Date,
): ScheduledChange | null {
  const { price, quantity } = items.data[0]!
  const next = schedule?.phases.find(({ start_date: start, items: [item] }) => {
    return start > now && (item!.price !== price.id || item!.quantity !== quantity)
  })
  if (!next) return null
  const [item] = next.items
  return { processorPrice: item!.price, quantity: item!.quantity, at: next.start_date }
}

/** The amount of the first invoice, if it is the latest. */
function firstCharge({ items, latest_invoice: invoice }: Billed): number | null {
  if (invoice?.billing_reason !== 'subscription_create' || invoice.status !== 'paid') return null
  return fromStripe(invoice.amount_paid, items.data[0]!.price.currency)
}

const endOfPeriod = ({ items }: z.output<typeof Subscription>) =>
  latest(items.data.map((each) => each.current_period_end))

/**
 * Whether a subscription does not renew. The API sets the flag, the portal sets `cancel_at` to the end of the period. A later time is an
 * end, too, but there are renewals before it.
 */
export function endsWithPeriod(subscription: z.output<typeof Subscription>): boolean {
  const { cancel_at_period_end: flag, cancel_at: at } = subscription
  return flag || (at !== null && at <= endOfPeriod(subscription))
}

/** Whether nothing is owed, so that a subscription without renewal is never charged again. */
export const isPaidUp = (subscription: Billed): boolean =>
  subscription.status === 'trialing' || (subscription.status === 'active' && isCovered(subscription))

export const hasEnded = ({ status }: z.output<typeof Subscription>): boolean =>
  status === 'canceled' || status === 'incomplete_expired'

/** The subscription of an invoice; null if it has none. */
export function subscriptionReference({ parent }: z.output<typeof PaymentInvoice>): PurchaseReference | null {
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

/** The status of a completed page's payment: an open page's payment may have been declined before, and is no purchase yet. */
function paymentStatus(status: z.output<typeof PaymentIntent>['status'], refunded: boolean): PurchaseStatus {
  if (refunded) return 'refunded'
  switch (status) {
    case 'succeeded':
      return 'active'
    // A failed delayed payment waits for another payment method, which cannot be entered on a completed page.
    case 'requires_payment_method':
    case 'canceled':
      return 'canceled'
    case 'requires_confirmation':
    case 'requires_action':
    case 'processing':
    case 'requires_capture':
      return 'pending'
  }
}

function latest(times: Date[]): Date {
  return new Date(Math.max(...times.map((time) => time.getTime())))
}

/** Translates an error of the SDK by what the caller can do about it. Any other error is returned unchanged. */
export function asProcessorError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  // The SDK wraps errors of our own reading of a reply as connection errors.
  if (error.detail instanceof ProcessorError) return error.detail
  if (error.code === UNEXPECTED) return new UnexpectedReply('stripe', 'body')
  const { kind, answered } = classify(error)
  // Stripe's message may quote an e-mail address, which must not be logged; `code` and `param` are enough.
  const what = [error.type, error.code, error.param].filter(Boolean).join(' ')
  return new ProcessorError('stripe', kind, `${what} (${error.statusCode ?? 'no reply'}, ${error.requestId ?? '-'})`, {
    answered,
    retryAfter: readRetryAfter(error.headers?.['retry-after'] ?? null),
  })
}

/**
 * Whether Stripe refused a call because of its customer: the account does not have it, or it has a subscription or an open page in another
 * currency, for which Stripe has only a message and no code.
 */
export function isUnusableCustomer(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return false
  return (
    (error.code === 'resource_missing' && error.param === 'customer') ||
    error.message.startsWith('You cannot combine currencies on a single customer')
  )
}

/** Whether Stripe refused a call because of the buyer's e-mail address. */
export const isRefusedEmail = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  (error.code === 'email_invalid' || error.param === 'customer_email')

function classify(error: Stripe.errors.StripeError): Pick<ProcessorError, 'kind' | 'answered'> {
  const { errors } = Stripe
  if (error instanceof errors.StripeConnectionError || error.code === FOREIGN)
    return { kind: 'unavailable', answered: false }
  // 409: a call with the same idempotency key is still running at Stripe, so its outcome is not known yet.
  if (error.statusCode === 409) return { kind: 'unavailable', answered: false }
  if (error instanceof errors.StripeRateLimitError) return { kind: 'unavailable', answered: true }
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError) {
    return { kind: 'misconfigured', answered: true }
  }
  // Stripe stores a 5xx under its idempotency key and replays it for a day, so a retry needs another key.
  if ((error.statusCode ?? 500) >= 500) return { kind: 'unavailable', answered: true }
  return { kind: 'rejected', answered: true }
}
