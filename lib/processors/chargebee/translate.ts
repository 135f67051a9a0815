// How Chargebee's objects become a purchase. Nothing is fetched here.
import * as z from 'zod'
import { decimalsOf, shift } from '../../money/money.ts'
import type { Decision } from '../adapter.ts'
import type { Cancellation, PurchaseSnapshot, PurchaseStatus } from '../processor.ts'
import type { Customer, HostedPage, Invoice, Subscription } from './objects.ts'

/** All that Chargebee has of a purchase, or a page that has sold nothing. */
export type Observed =
  | { kind: 'page'; page: HostedPage }
  | { kind: 'subscription'; subscription: Subscription; customer: Customer | null; firstInvoice: Invoice | null }
  | { kind: 'invoice'; invoice: Invoice; customer: Customer | null }

const checkoutId = z.uuid()

/** Our checkouts' ids are what tells our purchases from the other ones of a site. */
export const isCheckoutId = (text: string | undefined): text is string => checkoutId.safeParse(text).success

/** Chargebee charges and renews by itself, so there is never anything left to do. */
export function decide(observed: Observed, now: Date): Decision<never> {
  const purchase = purchaseOf(observed, now)
  const found = purchase && { paywallId: null, purchase }
  return { found, isUndecided: observed.kind === 'page' && maySell(observed.page, now), todo: null }
}

/** Chargebee counts hundredths of every currency that has decimals, whatever ISO 4217 says. */
export function fromChargebee(amount: number, currency: string): number {
  const decimals = decimalsOf(currency)
  return decimals === 0 ? amount : Math.round(shift(amount, decimals - 2))
}

/**
 * Whether nothing tells yet if a subscription was ever paid: it owes money in its first term. A term that follows a trial
 * is like every later one.
 */
export function isFirstPaymentDue({
  trial_end,
  started_at,
  current_term_start,
  ...subscription
}: Subscription): boolean {
  const isFirstTerm = !trial_end && started_at && current_term_start && started_at >= current_term_start
  return Boolean(isFirstTerm) && subscription.due_invoices_count > 0
}

/** The scheduled end, from the reply to a cancellation. */
export function cancellationOf(subscription: Subscription, now: Date): Cancellation {
  const { status, cancelAt, canceledAt } = snapshotOf({ subscription, customer: null, firstInvoice: null }, now)
  return { status, cancelAt, canceledAt }
}

function purchaseOf(observed: Observed, now: Date): PurchaseSnapshot | null {
  switch (observed.kind) {
    case 'page':
      return null
    case 'subscription':
      return isCheckoutId(observed.subscription.id) ? snapshotOf(observed, now) : null
    case 'invoice':
      return oneTime(observed.invoice, observed.customer)
  }
}

/** A page that has succeeded may be ahead of what was bought on it. */
function maySell({ state, expires_at }: HostedPage, now: Date): boolean {
  switch (state) {
    case 'succeeded':
    case 'acknowledged':
      return true
    case 'created':
    case 'requested':
      return expires_at === undefined || now < expires_at
    case 'cancelled':
      return false
  }
}

type Subscribed = Omit<Extract<Observed, { kind: 'subscription' }>, 'kind'>

function snapshotOf({ subscription, customer, firstInvoice }: Subscribed, now: Date): PurchaseSnapshot {
  const { current_term_start, current_term_end, trial_start, trial_end, cancelled_at } = subscription
  const plan = subscription.subscription_items.find(({ item_type }) => item_type === 'plan')
  const begun = subscription.status !== 'future' && (firstInvoice === null || wasPaid(firstInvoice))
  const isOwed = firstInvoice ? firstInvoice.status !== 'paid' : subscription.due_invoices_count > 0
  const hasEnded = subscription.status === 'cancelled' || subscription.status === 'transferred'
  // A trial that is cancelled goes on to its end, whether as `in_trial` or as `non_renewing`.
  const isTrial =
    subscription.status === 'in_trial' || (subscription.status === 'non_renewing' && now < (trial_end ?? now))
  const cancels = subscription.status === 'non_renewing' || (isTrial && cancelled_at !== undefined)
  const periodEnd = current_term_end ?? trial_end ?? null
  return {
    processorId: subscription.id,
    checkoutId: subscription.id,
    customer: subscription.customer_id,
    buyerEmail: customer?.email ?? null,
    status: isTrial ? 'trialing' : statusOf(subscription.status, { begun, isOwed }),
    begun,
    periodCovered: begun && (isTrial || !isOwed),
    interval: subscription.billing_period_unit ?? null,
    intervalCount: subscription.billing_period ?? null,
    unitAmount: fromChargebee(plan?.unit_price ?? plan?.amount ?? 0, subscription.currency_code),
    currency: subscription.currency_code,
    currentPeriodStart: current_term_start ?? trial_start ?? null,
    currentPeriodEnd: periodEnd,
    trialStart: trial_end ? (trial_start ?? subscription.started_at ?? null) : null,
    trialEnd: trial_end ?? null,
    cancelAtPeriodEnd: cancels,
    cancelAt: cancels ? (cancelled_at ?? periodEnd) : null,
    canceledAt: subscription.cancel_schedule_created_at ?? (hasEnded ? (cancelled_at ?? null) : null),
  }
}

function statusOf(
  status: Subscription['status'],
  { begun, isOwed }: { begun: boolean; isOwed: boolean },
): PurchaseStatus {
  switch (status) {
    case 'future':
      return 'pending'
    case 'in_trial':
      return 'trialing'
    case 'active':
    case 'non_renewing':
      if (!begun) return 'pending'
      return isOwed ? 'past_due' : 'active'
    case 'paused':
      return 'paused'
    case 'cancelled':
    case 'transferred':
      return 'canceled'
  }
}

function oneTime(invoice: Invoice, customer: Customer | null): PurchaseSnapshot | null {
  // Who subscribes may be asked for an order number, so that of a subscription's invoice says nothing.
  if (invoice.recurring || invoice.subscription_id !== undefined || !isCheckoutId(invoice.po_number)) return null
  const status = oneTimeStatus(invoice)
  const isPaid = status === 'active' || status === 'refunded'
  const none = { currentPeriodStart: null, currentPeriodEnd: null, trialStart: null, trialEnd: null }
  const never = { interval: null, intervalCount: null, cancelAtPeriodEnd: false, cancelAt: null, canceledAt: null }
  return {
    ...none,
    ...never,
    processorId: invoice.id,
    checkoutId: invoice.po_number,
    customer: invoice.customer_id,
    buyerEmail: customer?.email ?? null,
    status,
    begun: isPaid,
    periodCovered: isPaid,
    unitAmount: fromChargebee(invoice.total, invoice.currency_code),
    currency: invoice.currency_code,
  }
}

function oneTimeStatus(invoice: Invoice): PurchaseStatus {
  const { status, total, issued_credit_notes: notes } = invoice
  const returned = notes.reduce(
    (sum, { cn_status, cn_total }) => sum + (cn_status === 'refunded' ? (cn_total ?? 0) : 0),
    0,
  )
  if (total > 0 && returned >= total) return 'refunded'
  if (status === 'paid') return 'active'
  // The bank has taken back what was paid.
  if (invoice.linked_payments.some(({ txn_status }) => txn_status === 'late_failure')) return 'refunded'
  return status === 'not_paid' || status === 'voided' ? 'canceled' : 'pending'
}

/** Whether an invoice was paid at any time, also if the bank has taken the money back since. */
const wasPaid = ({ status, linked_payments: payments }: Invoice) =>
  status === 'paid' || payments.some(({ txn_status }) => txn_status === 'success' || txn_status === 'late_failure')
