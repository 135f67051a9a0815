// Translates Chargebee's objects to a purchase. Nothing is fetched here.
import * as z from 'zod'
import { currencyDecimals, shift } from '../../money/money.ts'
import type { Decision } from '../adapter.ts'
import {
  type Cancellation,
  ONE_TIME,
  type PaymentFact,
  type PurchaseSnapshot,
  type PurchaseStatus,
  type ScheduledChange,
} from '../processor.ts'
import type { Customer, HostedPage, Invoice, Subscription } from './objects.ts'

/** Everything that Chargebee has about a purchase, or a page that has sold nothing. */
export type Observed =
  | { kind: 'page'; page: HostedPage }
  /**
   * `scheduled`: the subscription with its scheduled changes applied; null if there are none. `invoices`: the latest, newest first, and
   * whether there are more.
   */
  | {
      kind: 'subscription'
      subscription: Subscription
      scheduled: Subscription | null
      customer: Customer | null
      invoices: Invoices
    }
  | { kind: 'invoice'; invoice: Invoice; customer: Customer | null }

export interface Invoices {
  latest: Invoice[]
  hasMore: boolean
}
export const NO_INVOICES: Invoices = { latest: [], hasMore: false }

const checkoutId = z.uuid()

/** A checkout's id distinguishes our purchases from others of the site. */
export const isCheckoutId = (text: string | undefined): text is string => checkoutId.safeParse(text).success

/** Chargebee charges and renews by itself, so no action is ever pending. */
export function decide(observed: Observed, now: Date): Decision<never> {
  const purchase = toPurchase(observed, now)
  const found = purchase && { paywallId: null, purchase }
  const isUndecided = observed.kind === 'page' && maySell(observed.page, now)
  const invoices = purchase ? listInvoices(observed) : []
  const isNeverPaid = purchase?.status === 'canceled' && !purchase.begun
  const payments = [...invoices.flatMap(chargebacks), ...(isNeverPaid ? invoices.flatMap(failedPayments) : [])]
  return { found, isUndecided, todo: null, payments, versions: readVersions(...listObjects(observed)) }
}

function listObjects(observed: Observed): (Subscription | Invoice)[] {
  const invoices = listInvoices(observed)
  return observed.kind === 'subscription' ? [observed.subscription, ...invoices] : invoices
}

function listInvoices(observed: Observed): Invoice[] {
  switch (observed.kind) {
    case 'page':
      return []
    case 'subscription':
      return observed.invoices.latest.toReversed()
    case 'invoice':
      return [observed.invoice]
  }
}

/** Chargebee uses hundredths for every currency with decimals, whatever ISO 4217 says. */
export function fromChargebee(amount: number, currency: string): number {
  const decimals = currencyDecimals(currency)
  return decimals === 0 ? amount : Math.round(shift(amount, decimals - 2))
}

/** Converts minor units of ISO 4217 to Chargebee's, at most the same amount. */
export function toChargebee(amount: number, currency: string): number {
  const decimals = currencyDecimals(currency)
  return decimals === 0 ? amount : Math.floor(shift(amount, 2 - decimals))
}

/**
 * Whether only its invoices show if a subscription was ever paid: it owes money in its first term, or in a later one, which Chargebee may
 * have begun although nothing was paid. For a later one all invoices are needed. A term after a trial counts as a later one.
 */
function isFirstPaymentDue(
  { trial_end, started_at, current_term_start, due_invoices_count }: Subscription,
  { hasMore }: Invoices,
): boolean {
  if (trial_end || due_invoices_count === 0) return false
  const isFirstTerm = Boolean(started_at && current_term_start && started_at >= current_term_start)
  return isFirstTerm || !hasMore
}

/** The scheduled end, from the reply to a cancellation. */
export function toCancellation(subscription: Subscription, now: Date): Cancellation {
  const snapshot = toSnapshot({ subscription, scheduled: null, customer: null, invoices: NO_INVOICES }, now)
  const { status, cancelAtPeriodEnd, cancelAt, canceledAt } = snapshot
  return { status, cancelAtPeriodEnd, cancelAt, canceledAt, versions: readVersions(subscription) }
}

function toPurchase(observed: Observed, now: Date): PurchaseSnapshot | null {
  switch (observed.kind) {
    case 'page':
      return null
    case 'subscription':
      return isCheckoutId(observed.subscription.id) ? toSnapshot(observed, now) : null
    case 'invoice':
      return oneTime(observed.invoice, observed.customer)
  }
}

/** A succeeded page may be ahead of its purchase. */
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

function toSnapshot({ subscription, scheduled, customer, invoices }: Subscribed, now: Date): PurchaseSnapshot {
  const { current_term_start, current_term_end, trial_start, trial_end, cancelled_at } = subscription
  const { latest } = invoices
  const plan = findPlan(subscription)
  const quantity = plan?.quantity ?? 1
  const isUnknown = isFirstPaymentDue(subscription, invoices) && latest.length > 0
  const begun =
    subscription.status !== 'future' && (!isUnknown || latest.some(wasPaid)) && !isVoidedUnpaid(subscription, invoices)
  // The invoices are read after the subscription and may be newer.
  const isOwed = subscription.due_invoices_count > 0 && (!isUnknown || latest.some(isUnpaid))
  const hasEnded = subscription.status === 'cancelled' || subscription.status === 'transferred'
  // A cancelled trial continues to its end, whether as `in_trial` or as `non_renewing`.
  const isTrial =
    subscription.status === 'in_trial' || (subscription.status === 'non_renewing' && now < (trial_end ?? now))
  const periodEnd = current_term_end ?? trial_end ?? null
  const end = scheduledEnd(subscription)
  return {
    processorId: subscription.id,
    checkoutId: subscription.id,
    processorPrice: plan?.item_price_id ?? null,
    // Chargebee always sends both, although its SDK declares them optional.
    startedAt: subscription.started_at ?? subscription.created_at ?? new Date(0),
    charged: firstCharge(subscription, invoices),
    customer: subscription.customer_id,
    buyerEmail: customer?.email ?? null,
    status: isTrial ? 'trialing' : toStatus(subscription.status, { begun, isOwed }),
    begun,
    periodCovered: begun && (isTrial || (!isOwed && !isTermVoided(subscription, latest))),
    priceCovered: isTrial || isPriceCovered(subscription, latest),
    changedInPeriod: isChangedInTerm(subscription, latest),
    scheduledChange: scheduled && scheduledChange(subscription, scheduled),
    versions: readVersions(subscription, ...termInvoices(subscription, latest)),
    interval: subscription.billing_period_unit ?? null,
    intervalCount: subscription.billing_period ?? null,
    unitAmount: fromChargebee(
      plan?.unit_price ?? Math.round((plan?.amount ?? 0) / Math.max(1, quantity)),
      subscription.currency_code,
    ),
    quantity,
    currency: subscription.currency_code,
    currentPeriodStart: current_term_start ?? trial_start ?? null,
    currentPeriodEnd: periodEnd,
    trialStart: trial_end ? (trial_start ?? subscription.started_at ?? null) : null,
    trialEnd: trial_end ?? null,
    cancelAtPeriodEnd: endsWithTerm(subscription),
    cancelAt: end,
    canceledAt: subscription.cancel_schedule_created_at ?? (hasEnded ? (cancelled_at ?? null) : null),
  }
}

/** Null if the plan and its quantity stay the same: other changes can be scheduled, too. */
function scheduledChange(now: Subscription, later: Subscription): ScheduledChange | null {
  const { item_price_id: price, quantity = 1 } = findPlan(later) ?? {}
  const at = now.changes_scheduled_at ?? now.current_term_end ?? now.trial_end
  return price && at && !isPlan(now, price, quantity) ? { processorPrice: price, quantity, at } : null
}

/** Whether a subscription's plan is this price, in this quantity. */
export function isPlan(subscription: Subscription, price: string, quantity: number): boolean {
  const plan = findPlan(subscription)
  return plan?.item_price_id === price && (plan.quantity ?? 1) === quantity
}

const isUnpaid = ({ status }: Invoice) => status !== 'paid' && status !== 'voided'

export const findPlan = ({ subscription_items: items }: Subscription) =>
  items.find(({ item_type }) => item_type === 'plan')

/** The versions of the objects that have one. */
export const readVersions = (...objects: { id: string; resource_version?: number | undefined }[]) =>
  Object.fromEntries(objects.flatMap(({ id, resource_version: it }) => (it === undefined ? [] : [[id, it]])))

/** The scheduled end. A trial stays `in_trial` and a paused subscription `paused` until then: only the times show it. */
function scheduledEnd(subscription: Subscription): Date | null {
  const { status, cancelled_at, cancel_schedule_created_at: scheduled, current_term_end, trial_end } = subscription
  if (status === 'cancelled' || status === 'transferred') return null
  const isScheduled = status === 'non_renewing' || scheduled !== undefined || cancelled_at !== undefined
  return isScheduled ? (cancelled_at ?? current_term_end ?? trial_end ?? null) : null
}

/** Whether it ends without another renewal. The term of a paused subscription may be over: no other one follows before the end. */
function endsWithTerm(subscription: Subscription): boolean {
  const { status, current_term_end, trial_end } = subscription
  const end = scheduledEnd(subscription)
  const termEnd = current_term_end ?? trial_end
  if (end === null) return status === 'non_renewing'
  return status === 'non_renewing' || status === 'paused' || termEnd === undefined || end <= termEnd
}

/** Whether it already ends with its term. */
export const isScheduledToEnd = endsWithTerm

/** The invoices for the current term, including a change of plan within it. */
const termInvoices = ({ current_term_start: start }: Subscription, invoices: Invoice[]) =>
  invoices.filter(({ line_items: lines }) => start !== undefined && lines.some(({ date_to }) => date_to > start))

/** Whether the current term is unpaid and will stay so. */
export function isTermVoided(subscription: Subscription, invoices: Invoice[]): boolean {
  const charged = termInvoices(subscription, invoices)
  return charged.length > 0 && charged.every(({ status }) => status === 'voided')
}

/** Whether all invoices were voided unpaid: then nothing was bought. */
const isVoidedUnpaid = ({ trial_end }: Subscription, { latest, hasMore }: Invoices) =>
  !trial_end && !hasMore && latest.length > 0 && latest.every((each) => each.status === 'voided' && !wasPaid(each))

/** Statuses of invoices that are unpaid. */
const UNPAID_STATUSES: readonly Invoice['status'][] = ['voided', 'payment_due', 'not_paid']

/**
 * Whether an invoice of the current term charges for the subscription's current price and quantity, and is not owed. After a change of plan
 * none does if the change was free of charge, if its difference is charged with the next invoice, or if the difference is unpaid: the term
 * was paid before. A site may create no invoice for an amount of 0.
 */
function isPriceCovered(subscription: Subscription, invoices: Invoice[]): boolean {
  const charged = termInvoices(subscription, invoices)
  if (findPlan(subscription)?.item_price_id === undefined || charged.length === 0) return true
  return charged.some(
    ({ status, line_items: lines }) =>
      !UNPAID_STATUSES.includes(status) && lines.some((line) => isOfPlan(line, subscription)),
  )
}

/** Whether an invoice whose period overlaps the current term charged for another price or quantity, and is not owed. */
function isChangedInTerm(subscription: Subscription, invoices: Invoice[]): boolean {
  return termInvoices(subscription, invoices).some(
    ({ status, line_items: lines }) =>
      !UNPAID_STATUSES.includes(status) &&
      lines.some((line) => line.entity_type === 'plan_item_price' && !isOfPlan(line, subscription)),
  )
}

/** Whether a line charges for the subscription's current price and quantity. */
const isOfPlan = ({ entity_id: price, quantity }: Invoice['line_items'][number], subscription: Subscription) =>
  price !== undefined && isPlan(subscription, price, quantity)

/** The amount of the first payment, if its invoice is one of the latest. Before a trial there is none. */
function firstCharge({ trial_end }: Subscription, { latest, hasMore }: Invoices): number | null {
  if (trial_end) return 0
  const first = hasMore ? undefined : latest.at(-1)
  return first && wasPaid(first) ? fromChargebee(first.total, first.currency_code) : null
}

function toStatus(
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
  // A subscriber may be asked for an order number, so that of a subscription's invoice means nothing.
  if (invoice.recurring || invoice.subscription_id !== undefined || !isCheckoutId(invoice.po_number)) return null
  const line = invoice.line_items.find(({ entity_type }) => entity_type === 'charge_item_price')
  const status = oneTimeStatus(invoice)
  const isPaid = status === 'active' || status === 'refunded'
  return {
    processorId: invoice.id,
    checkoutId: invoice.po_number,
    processorPrice: line?.entity_id ?? null,
    startedAt: invoice.date ?? new Date(0),
    charged: isPaid ? fromChargebee(invoice.total, invoice.currency_code) : null,
    priceCovered: true,
    changedInPeriod: false,
    versions: readVersions(invoice),
    customer: invoice.customer_id,
    buyerEmail: customer?.email ?? null,
    status,
    begun: isPaid,
    periodCovered: isPaid,
    ...ONE_TIME,
    quantity: line?.quantity ?? null,
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
  // The bank has reversed the payment.
  if (invoice.linked_payments.some(({ txn_status }) => txn_status === 'late_failure')) return 'refunded'
  return status === 'not_paid' || status === 'voided' ? 'canceled' : 'pending'
}

/**
 * The payments of an invoice that a bank has reversed: the money is gone at once. Depending on its settings, a site removes such a payment
 * from its invoice, or creates a credit note for it, which is voided if the seller wins.
 */
function chargebacks(invoice: Invoice): PaymentFact[] {
  const {
    id: paymentId,
    total,
    currency_code: currency,
    linked_payments: payments,
    issued_credit_notes: notes,
  } = invoice
  const facts = (id: string, amount: number, occurredAt: Date, isWon: boolean): PaymentFact[] =>
    (['disputed', 'dispute_lost', ...(isWon ? (['dispute_won'] as const) : [])] as const).map((kind) => ({
      kind,
      id,
      paymentId,
      amount: fromChargebee(amount, currency),
      currency,
      occurredAt,
    }))
  return [
    ...payments.flatMap(({ txn_id: id, txn_status: status, txn_amount: amount = total, txn_date: at }) =>
      id !== undefined && at !== undefined && status === 'late_failure' ? facts(id, amount, at, false) : [],
    ),
    ...notes.flatMap(
      ({ cn_id: id, cn_reason_code: reason, cn_status: status, cn_total: amount = total, cn_date: at }) =>
        id !== undefined &&
        at !== undefined &&
        reason === 'chargeback' &&
        (status === 'refunded' || status === 'voided')
          ? facts(id, amount, at, status === 'voided')
          : [],
    ),
  ]
}

/** The failed charges of an invoice: for a purchase that ended before it was paid, they are all that is reported. */
const failedPayments = ({ id: paymentId, currency_code: currency, linked_payments: payments }: Invoice) =>
  payments.flatMap(({ txn_id: id, txn_status: status, txn_amount: amount, txn_date: occurredAt }): PaymentFact[] => {
    if (status !== 'failure' || id === undefined || amount === undefined || occurredAt === undefined) return []
    return [{ kind: 'failed', id, paymentId, amount: fromChargebee(amount, currency), currency, occurredAt }]
  })

/** Whether an invoice was ever paid, even if the bank has reversed the payment since. */
const wasPaid = ({ status, linked_payments: payments }: Invoice) =>
  status === 'paid' || payments.some(({ txn_status }) => txn_status === 'success' || txn_status === 'late_failure')
