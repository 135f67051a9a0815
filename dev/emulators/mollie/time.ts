import { type AccountContext, all, find } from '../core/domain/context.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { addDays, anchorOf } from './dates.ts'
import { unprocessable } from './errors.ts'
import { subscriptionOwn } from './own.ts'
import { paymentsOf } from './subscriptions.ts'

const DAY_SECONDS = 24 * 3600

/** The mandate becomes invalid, which suspends every subscription that is charged on it. */
export function suspendSubscription(context: AccountContext, { id, mandate, status }: SubscriptionRecord): void {
  if (status !== 'active') throw unprocessable(`Subscription ${id} is ${status}.`)
  find(context, 'mandates', mandate ?? '').revoked = true
  for (const other of all(context, 'subscriptions')) {
    if (other.mandate === mandate && other.status === 'active') other.status = 'suspended'
  }
}

/** Lets days pass for one subscription: moves its dates, its payments' and its first payment's into the past. */
export function elapse(context: AccountContext, subscription: SubscriptionRecord, days: number): void {
  const seconds = days * DAY_SECONDS
  const earlier = (at: number | null) => (at === null ? null : at - seconds)
  const mandate = find(context, 'mandates', subscription.mandate ?? '')
  mandate.created -= seconds
  for (const payment of [find(context, 'payments', mandate.payment), ...paymentsOf(context, subscription)]) {
    payment.created -= seconds
    payment.expiresAt = earlier(payment.expiresAt)
    payment.endedAt = earlier(payment.endedAt)
  }
  const startDate = addDays(subscriptionOwn(subscription).startDate, -days)
  subscription.own = { ...subscription.own, startDate }
  subscription.anchor = anchorOf(startDate)
  subscription.created -= seconds
  subscription.canceledAt = earlier(subscription.canceledAt)
  subscription.periodStart -= seconds
  subscription.periodEnd -= seconds
}
