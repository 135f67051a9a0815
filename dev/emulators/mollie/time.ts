import { newRecord } from '../core/new-record.ts'
import { find, type Ledger } from './account-context.ts'
import { addDays, chargeTime, dateAfter } from './dates.ts'
import { unprocessable } from './errors.ts'
import { paymentObject } from './objects/payment.ts'
import { endPayment } from './payments.ts'
import type { PaymentRecord, SubscriptionRecord } from './records.ts'
import { findSubscription, isActive, paymentsOf } from './subscriptions.ts'

const DAY_SECONDS = 24 * 3600

/** What becomes of the next payment of a subscription. */
export type Charge = 'paid' | 'failed' | 'pending'

/**
 * Charges a subscription for its next payment date, as if that day had come: the payment is of that day, whatever the
 * clock says, and the next payment date is an interval later. A payment that fails ends nothing.
 */
export function renewSubscription(ledger: Ledger, id: string, charge: Charge): PaymentRecord {
  const subscription = findSubscription(ledger, id)
  const { nextPaymentDate: day } = subscription
  if (!isActive(subscription) || day === null) {
    throw unprocessable(`Subscription ${id} is ${subscription.status} and makes no payments.`)
  }
  const payment = recurringPayment(ledger, subscription, chargeTime(day))
  subscription.charged += 1
  subscription.nextPaymentDate = dateAfter(day, subscription.interval, subscription.startDate)
  if (subscription.charged === subscription.times) {
    subscription.status = 'completed'
    subscription.nextPaymentDate = null
  }
  if (charge !== 'pending') return endPayment(ledger, payment, charge)
  ledger.emit('payment.pending', paymentObject(ledger, payment))
  return payment
}

function recurringPayment(ledger: Ledger, subscription: SubscriptionRecord, at: number): PaymentRecord {
  const { id, customer, mandate, amount, description, metadata, webhookUrl } = subscription
  const payment: PaymentRecord = {
    ...newRecord(ledger, 'tr_', 8),
    created: at,
    amount,
    description,
    metadata,
    webhookUrl,
    customer,
    mandate,
    subscription: id,
    sequenceType: 'recurring',
    method: find(ledger, ledger.records.mandates, 'mandate', mandate).method,
    status: 'pending',
    redirectUrl: null,
    cancelUrl: null,
    locale: null,
    expiresAt: null,
    endedAt: null,
  }
  ledger.records.payments.set(payment.id, payment)
  return payment
}

/** The mandate dies, and with it every subscription that is charged on it. */
export function suspendSubscription(ledger: Ledger, id: string): SubscriptionRecord {
  const subscription = findSubscription(ledger, id)
  if (!isActive(subscription)) throw unprocessable(`Subscription ${id} is ${subscription.status}.`)
  find(ledger, ledger.records.mandates, 'mandate', subscription.mandate).revoked = true
  for (const other of ledger.records.subscriptions.values()) {
    if (other.mandate !== subscription.mandate || !isActive(other)) continue
    other.status = 'suspended'
    other.nextPaymentDate = null
  }
  return subscription
}

/** Everything about a subscription, its payments and its first payment included, happened so many days earlier. */
export function elapse(ledger: Ledger, id: string, days: number): SubscriptionRecord {
  const subscription = findSubscription(ledger, id)
  const mandate = find(ledger, ledger.records.mandates, 'mandate', subscription.mandate)
  const first = find(ledger, ledger.records.payments, 'payment', mandate.payment)
  const seconds = days * DAY_SECONDS
  const earlier = (at: number | null) => (at === null ? null : at - seconds)
  mandate.created -= seconds
  for (const payment of [first, ...paymentsOf(ledger, subscription)]) {
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
