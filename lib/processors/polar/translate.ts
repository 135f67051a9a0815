// Translates Polar's objects to a purchase. Nothing is fetched here.
import type { Found } from '../adapter.ts'
import {
  type Cancellation,
  ONE_TIME,
  type PaymentFact,
  type PurchaseSnapshot,
  type PurchaseStatus,
  type ScheduledChange,
} from '../processor.ts'
import { includedDiscount, includedTax } from '../taxes.ts'
import {
  type Customer,
  type Dispute,
  type EventOrder,
  type Order,
  type PolarRecord,
  Sale,
  type Subscription,
} from './objects.ts'

type Bought = { metadata?: unknown; customer: Customer }

/** The purchase of a subscription, with its latest orders, newest first, and the disputes of their payments. Null if it is not our sale. */
export function subscriptionSnapshot(
  subscription: Subscription,
  orders: readonly Order[],
  disputes: readonly Dispute[],
): Found | null {
  const { status } = subscription
  const periodOrder = coveringOrder(subscription, orders)
  const paidOrder = orders.find((order) => isForPlan(order) && isPaid(order)) ?? null
  const deciding = [...new Set([subscription, periodOrder, paidOrder, ...disputes])].filter((record) => record !== null)
  return foundBy(subscription, {
    processorId: subscription.id,
    processorPrice: subscription.product_id,
    startedAt: subscription.started_at ?? dateFrom(subscription.created_at),
    charged: firstCharge(subscription, orders),
    priceCovered: status === 'trialing' || isFor(subscription, paidOrder),
    changedInPeriod: paidOrder?.billing_reason === 'subscription_update',
    scheduledChange: scheduledChange(subscription),
    versions: readVersions(deciding),
    status: subscriptionStatus(status),
    begun: status !== 'incomplete' && status !== 'incomplete_expired',
    periodCovered: status === 'trialing' || (periodOrder !== null && isPaid(periodOrder)),
    interval: subscription.recurring_interval,
    intervalCount: subscription.recurring_interval_count,
    unitAmount: priceBeforeDiscount(subscription),
    quantity: 1,
    currency: subscription.currency,
    currentPeriodStart: subscription.current_period_start,
    currentPeriodEnd: subscription.current_period_end,
    trialStart: subscription.trial_start,
    trialEnd: subscription.trial_end,
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    cancelAt: toCancelAt(subscription),
    canceledAt: subscription.canceled_at,
  })
}

/**
 * The sum of the fixed prices: `update_amount_and_currency` in server/polar/models/subscription.py. Metered prices add nothing to it. Prices
 * per seat or unit, and those that a buyer chooses, show no amount of a period, so it is what the period costs, after the discount.
 */
function priceBeforeDiscount({ amount, prices }: Subscription): number {
  const billed = prices.filter(({ amount_type: type }) => type !== 'metered_unit' && type !== 'metered_tiers')
  const isFixed = billed.length > 0 && billed.every(({ amount_type: type }) => type === 'fixed')
  return isFixed ? billed.reduce((sum, { price_amount: each = 0 }) => sum + each, 0) : amount
}

/** A one-time purchase, with the disputes of its payment. Null if it is not our sale. */
export function orderSnapshot(order: Order, disputes: readonly Dispute[]): Found | null {
  const isLost = disputes.some(({ status }) => status === 'lost')
  return foundBy(order, {
    processorId: order.id,
    processorPrice: order.product_id,
    startedAt: dateFrom(order.created_at),
    charged: isPaid(order) ? order.due_amount : null,
    priceCovered: true,
    changedInPeriod: false,
    versions: readVersions([order, ...disputes]),
    status: isPaid(order) && isLost ? 'refunded' : orderStatus(order.status),
    begun: isPaid(order),
    periodCovered: isPaid(order),
    ...ONE_TIME,
    unitAmount: order.subtotal_amount,
    currency: order.currency,
  })
}

/**
 * The version of each object, by its id: the time of its last change, in microseconds. Polar reads from replicas, so an object may be stale
 * in a read, and a new one may be missing.
 */
export const readVersions = (records: readonly PolarRecord[]): Record<string, number> =>
  Object.fromEntries(records.map((record) => [record.id, record.modified_at ?? record.created_at]))

/** The facts of a chargeback. One that was prevented is a refund, which Polar reports. */
export function disputeFacts({ id, status, amount, tax_amount: tax, currency, ...dispute }: Dispute): PaymentFact[] {
  const fact = { id, paymentId: dispute.order_id, amount: amount + tax, currency }
  const opened = { ...fact, kind: 'disputed', occurredAt: dateFrom(dispute.created_at) } as const
  const decidedAt = dateFrom(dispute.modified_at ?? dispute.created_at)
  switch (status) {
    case 'prevented':
    case 'early_warning':
      return []
    case 'lost':
      return [opened, { ...fact, kind: 'dispute_lost', occurredAt: decidedAt }]
    case 'won':
      return [opened, { ...fact, kind: 'dispute_won', occurredAt: decidedAt }]
    default:
      // Any other status, now or later: undecided.
      return [opened]
  }
}

/** Null if no money moved. */
export function toFact(
  kind: PaymentFact['kind'],
  ids: Required<Pick<PaymentFact, 'id' | 'paymentId'>>,
  amount: number,
  currency: string,
  occurredAt: Date,
): PaymentFact | null {
  return amount > 0 ? { kind, ...ids, amount, currency, occurredAt } : null
}

/** The payment of an order; null if nothing was due. */
export function paidFact(order: EventOrder, occurredAt: Date): PaymentFact | null {
  const { id, due_amount: amount, total_amount: total, tax_amount: tax, discount_amount: off, currency } = order
  const paid = toFact('succeeded', { id, paymentId: id }, amount, currency, occurredAt)
  return (
    paid && {
      ...paid,
      tax: includedTax(amount, { total, tax }),
      discount: includedDiscount(amount, { total, discount: off }),
      ...periodPaid(order),
    }
  )
}

/** The order of a period is created at its start, by a background job. */
function periodPaid({ billing_reason: reason, created_at: createdAt, product_id: product }: EventOrder) {
  if (reason !== 'subscription_cycle' || product === null) return {}
  return { paysFor: { from: dateFrom(createdAt).toISOString(), processorPrice: product, quantity: 1 } }
}

/** The payments of orders, in case their webhooks are lost: a subscription may have been charged after it was replaced. */
export const paidFacts = (orders: readonly Order[]): PaymentFact[] =>
  orders
    .filter(({ status }) => status === 'paid')
    .flatMap((order) => paidFact(order, dateFrom(order.modified_at ?? order.created_at)) ?? [])

/** The failure of a first payment: if a subscription has ended before it was paid, no event reports it. */
export function firstFailure({ status }: Subscription, orders: readonly Order[]): PaymentFact[] {
  const order = orders.find(coversPeriod)
  if (status !== 'incomplete_expired' || !order || isPaid(order) || order.due_amount === 0) return []
  const occurredAt = dateFrom(order.modified_at ?? order.created_at)
  return [
    {
      kind: 'failed',
      id: order.id,
      paymentId: order.id,
      amount: order.due_amount,
      currency: order.currency,
      occurredAt,
    },
  ]
}

/** Whether Polar never charges it again. */
export const hasEnded = ({ status }: Subscription): boolean => subscriptionStatus(status) === 'canceled'

export function toCancellation(subscription: Subscription): Cancellation {
  return {
    status: subscriptionStatus(subscription.status),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    cancelAt: toCancelAt(subscription),
    canceledAt: subscription.canceled_at,
    versions: readVersions([subscription]),
  }
}

/**
 * Whether the sale was to the intended customer: that of the buyer's own user id, or the one that the checkout named. Polar has one
 * customer per e-mail address and organisation, so a buyer who enters an address that is known there buys as that customer, whoever that
 * is.
 */
export function isOwnCustomer(sale: Sale, { id, external_id: externalId }: Customer): boolean {
  return externalId === sale.user_id || id === sale.customer_id
}

/** Our sale, by its metadata; null if it is not ours. */
export const readSale = ({ metadata }: { metadata?: unknown }): Sale | null => Sale.safeParse(metadata).data ?? null

type Facts = Omit<PurchaseSnapshot, 'checkoutId' | 'customer' | 'buyerEmail'>

/** The customer is omitted if it is not the buyer's own: its portal would show the purchases of others. */
function foundBy(bought: Bought, facts: Facts): Found | null {
  const sale = readSale(bought)
  if (!sale) return null
  const { customer } = bought
  return {
    paywallId: sale.paywall_id,
    purchase: {
      ...facts,
      checkoutId: sale.checkout_id,
      customer: isOwnCustomer(sale, customer) ? customer.id : null,
      buyerEmail: customer.email ?? null,
    },
  }
}

/** Null if the product stays the same: other changes can be scheduled, too. */
const scheduledChange = ({ product_id: now, pending_update: pending }: Subscription): ScheduledChange | null =>
  pending?.product_id && pending.product_id !== now
    ? { processorPrice: pending.product_id, quantity: 1, at: pending.applies_at }
    : null

const toCancelAt = ({ cancel_at_period_end: cancels, ends_at: endsAt, current_period_end: periodEnd }: Subscription) =>
  endsAt ?? (cancels ? periodEnd : null)

/** Tolerance for clock differences between Polar's servers: one begins a period, another creates its order. */
const CLOCK_SKEW_MS = 5_000

/**
 * The order that pays for the current period: its own, or that of a change of plan that started it. Polar begins a period, sends its event,
 * and creates its order in a background job; until then the latest order is that of the last period or of the trial. The first order of a
 * trial pays for nothing else, however soon the trial has ended.
 */
function coveringOrder(subscription: Subscription, orders: readonly Order[]): Order | null {
  const { current_period_start: start, trial_start: trialStart } = subscription
  const made = orders.filter(
    ({ created_at: createdAt, billing_reason: reason }) =>
      dateFrom(createdAt).getTime() >= start.getTime() - CLOCK_SKEW_MS &&
      (trialStart === null || reason !== 'subscription_create'),
  )
  return made.find(coversPeriod) ?? made.find(isForPlan) ?? null
}

/** The order of a new period, or of the first one. Others are for a change of plan, or for usage. */
const coversPeriod = ({ billing_reason: reason }: Order) =>
  reason === 'subscription_create' || reason === 'subscription_cycle'

const isForPlan = (order: Order) => coversPeriod(order) || order.billing_reason === 'subscription_update'

/**
 * Whether the last paid order for the plan is for the current plan. Most changes are charged with the next period: until then the last
 * order is for the previous plan.
 */
const isFor = ({ product_id: product }: Subscription, paid: Order | null) => (paid?.product_id ?? product) === product

/** Null if the first order is not among the latest. */
function firstCharge({ trial_start: trialStart }: Subscription, orders: readonly Order[]): number | null {
  if (trialStart !== null) return 0
  const first = orders.find(({ billing_reason: reason }) => reason === 'subscription_create')
  return first && isPaid(first) ? first.due_amount : null
}

const dateFrom = (microseconds: number) => new Date(Math.floor(microseconds / 1000))

/** A refund returns the money but does not end the period, as long as Polar does not end the subscription. */
const isPaid = ({ status }: Order) => status === 'paid' || status === 'refunded' || status === 'partially_refunded'

function subscriptionStatus(status: Subscription['status']): PurchaseStatus {
  switch (status) {
    case 'incomplete':
      return 'pending'
    case 'trialing':
    case 'active':
    case 'past_due':
    case 'paused':
      return status
    // Polar has revoked an unpaid subscription and no longer charges it.
    case 'unpaid':
    case 'canceled':
    case 'incomplete_expired':
      return 'canceled'
  }
}

function orderStatus(status: Order['status']): PurchaseStatus {
  switch (status) {
    case 'paid':
    case 'partially_refunded':
      return 'active'
    case 'refunded':
      return 'refunded'
    case 'draft':
    case 'pending':
      return 'pending'
    case 'void':
      return 'canceled'
  }
}
