// How Polar's objects become a purchase. Nothing is fetched here.
import type { Found } from '../adapter.ts'
import type { Cancellation, PurchaseSnapshot, PurchaseStatus } from '../processor.ts'
import { type Customer, type Order, Sale, type Subscription } from './objects.ts'

type Bought = { metadata?: unknown; customer: Customer }

/** The purchase of a subscription. `order` is that of its current period; null if there is none yet. Null: not our sale. */
export function snapshotOfSubscription(subscription: Subscription, order: Order | null): Found | null {
  const { status } = subscription
  return foundBy(subscription, {
    processorId: subscription.id,
    status: subscriptionStatus(status),
    begun: status !== 'incomplete' && status !== 'incomplete_expired',
    periodCovered: status === 'trialing' || (order !== null && isPaid(order)),
    interval: subscription.recurring_interval,
    intervalCount: subscription.recurring_interval_count,
    unitAmount: subscription.amount,
    currency: subscription.currency,
    currentPeriodStart: subscription.current_period_start,
    currentPeriodEnd: subscription.current_period_end,
    trialStart: subscription.trial_start,
    trialEnd: subscription.trial_end,
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    cancelAt: cancelAtOf(subscription),
    canceledAt: subscription.canceled_at,
  })
}

/** A one-time purchase. Null: not our sale. */
export function snapshotOfOrder(order: Order): Found | null {
  const none = { currentPeriodStart: null, currentPeriodEnd: null, trialStart: null, trialEnd: null }
  return foundBy(order, {
    ...none,
    processorId: order.id,
    status: orderStatus(order.status),
    begun: isPaid(order),
    periodCovered: isPaid(order),
    interval: null,
    intervalCount: null,
    unitAmount: order.subtotal_amount,
    currency: order.currency,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
  })
}

export function cancellationOf(subscription: Subscription): Cancellation {
  return {
    status: subscriptionStatus(subscription.status),
    cancelAt: cancelAtOf(subscription),
    canceledAt: subscription.canceled_at,
  }
}

/**
 * Whether something was sold to its customer on purpose: to the customer of the buyer's own user id, or to the one that the
 * checkout named. Polar has one customer for each e-mail address of an organisation, so whoever enters an address that is
 * known there buys as that customer, whoever that is.
 */
export function isOwnCustomer(sale: Sale, { id, external_id: externalId }: Customer): boolean {
  return externalId === sale.user_id || id === sale.customer_id
}

/** A sale of ours, by its metadata; null if it is somebody else's. */
export const saleOf = ({ metadata }: { metadata?: unknown }): Sale | null => Sale.safeParse(metadata).data ?? null

type Facts = Omit<PurchaseSnapshot, 'checkoutId' | 'customer' | 'buyerEmail'>

/** The customer is left out if it is not the buyer's own: its portal would show what others have bought. */
function foundBy(bought: Bought, facts: Facts): Found | null {
  const sale = saleOf(bought)
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

const cancelAtOf = ({ cancel_at_period_end: cancels, ends_at: endsAt, current_period_end: periodEnd }: Subscription) =>
  endsAt ?? (cancels ? periodEnd : null)

/** A refund takes the money back and not the period, as long as Polar does not end the subscription. */
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
    // Polar has revoked an unpaid subscription: it charges it no more.
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
