import { newRecord } from '../core/tables.ts'
import { type AccountContext, find } from './account-context.ts'
import { addDays, chargeTime, dateAfter } from './dates.ts'
import { unprocessable } from './errors.ts'
import { paymentObject } from './objects/payment.ts'
import { endPayment } from './payments.ts'
import type { PaymentRecord, SubscriptionRecord } from './records.ts'
import { findSubscription, isActive, paymentsOf } from './subscriptions.ts'

/*
 * What only time does at Mollie: a subscription is charged, its mandate becomes invalid, or days pass. Tests and people
 * cannot wait, so each is a control.
 */

const DAY_SECONDS = 24 * 3600

/** The status that a subscription's next payment gets. */
export type ChargeOutcome = 'paid' | 'failed' | 'pending'

/**
 * Charges a subscription for its next payment date, as if that day had come: the payment gets that day's date, whatever
 * the clock says, and the next payment date is one interval later. If the payment fails, the subscription stays active.
 */
export function renewSubscription(context: AccountContext, id: string, outcome: ChargeOutcome): PaymentRecord {
  const subscription = findSubscription(context, id)
  const { nextPaymentDate: day } = subscription
  if (!isActive(subscription) || day === null) {
    throw unprocessable(`Subscription ${id} is ${subscription.status} and makes no payments.`)
  }
  const payment = recurringPayment(context, subscription, chargeTime(day))
  subscription.charged += 1
  subscription.nextPaymentDate = dateAfter(day, subscription.interval, subscription.startDate)
  if (subscription.charged === subscription.times) {
    subscription.status = 'completed'
    subscription.nextPaymentDate = null
  }
  if (outcome !== 'pending') return endPayment(context, payment, outcome)
  context.emit('payment.pending', paymentObject(context, payment))
  return payment
}

function recurringPayment(context: AccountContext, subscription: SubscriptionRecord, at: number): PaymentRecord {
  const { id, customer, mandate, amount, description, metadata, webhookUrl } = subscription
  const payment: PaymentRecord = {
    ...newRecord(context, 'tr_', 8),
    created: at,
    amount,
    description,
    metadata,
    webhookUrl,
    customer,
    mandate,
    subscription: id,
    sequenceType: 'recurring',
    method: find(context, context.records.mandates, 'mandate', mandate).method,
    status: 'pending',
    redirectUrl: null,
    cancelUrl: null,
    locale: null,
    expiresAt: null,
    endedAt: null,
  }
  context.records.payments.set(payment.id, payment)
  return payment
}

/** The mandate becomes invalid, which suspends every subscription that is charged on it. */
export function suspendSubscription(context: AccountContext, id: string): SubscriptionRecord {
  const subscription = findSubscription(context, id)
  if (!isActive(subscription)) throw unprocessable(`Subscription ${id} is ${subscription.status}.`)
  find(context, context.records.mandates, 'mandate', subscription.mandate).revoked = true
  for (const other of context.records.subscriptions.values()) {
    if (other.mandate !== subscription.mandate || !isActive(other)) continue
    other.status = 'suspended'
    other.nextPaymentDate = null
  }
  return subscription
}

/** Lets days pass for one subscription: moves its dates, its payments' and its first payment's into the past. */
export function elapse(context: AccountContext, id: string, days: number): SubscriptionRecord {
  const subscription = findSubscription(context, id)
  const mandate = find(context, context.records.mandates, 'mandate', subscription.mandate)
  const first = find(context, context.records.payments, 'payment', mandate.payment)
  const seconds = days * DAY_SECONDS
  const earlier = (at: number | null) => (at === null ? null : at - seconds)
  mandate.created -= seconds
  for (const payment of [first, ...paymentsOf(context, subscription)]) {
    payment.created -= seconds
    payment.expiresAt = earlier(payment.expiresAt)
    payment.endedAt = earlier(payment.endedAt)
  }
  const { nextPaymentDate } = subscription
  subscription.created -= seconds
  subscription.canceledAt = earlier(subscription.canceledAt)
  subscription.startDate = addDays(subscription.startDate, -days)
  subscription.nextPaymentDate = nextPaymentDate === null ? null : addDays(nextPaymentDate, -days)
  return subscription
}
