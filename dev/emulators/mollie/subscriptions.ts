import * as z from 'zod'
import { type AccountContext, all, find } from '../core/domain/context.ts'
import { mandatesOf } from '../core/domain/mandates.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import { attemptPayment, type Outcome, openPayment } from '../core/domain/payments.ts'
import { beginNextPeriod } from '../core/domain/renewals.ts'
import type { MandateRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { newSubscription } from '../core/domain/subscriptions.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { Amount, minorUnits } from './amounts.ts'
import { anchorOf, chargeTime, dateOf, isDate, parseInterval } from './dates.ts'
import { noSuch, unprocessable } from './errors.ts'
import { Metadata, subscriptionOwn } from './own.ts'
import { finish } from './payments.ts'

/*
 * A subscription at Mollie: it is created on a mandate of its customer, is charged on each payment date, and is
 * cancelled, which ends it at once. Its period ends when it is charged next.
 */

export const SubscriptionBody = z.strictObject({
  amount: Amount.refine((amount) => minorUnits(amount) > 0, 'The amount is lower than the minimum'),
  interval: z.string().refine((text) => parseInterval(text) !== null, 'The interval is invalid'),
  description: z.string().min(1).max(255),
  startDate: optional(z.string().refine(isDate, 'The start date is invalid')),
  times: optional(z.int().min(1)),
  webhookUrl: optional(webAddress),
  metadata: optional(Metadata),
  method: optional(z.enum(['creditcard', 'directdebit', 'paypal'])),
  mandateId: optional(z.string()),
})

type Body = z.output<typeof SubscriptionBody>

export function createSubscription(context: AccountContext, body: Body, customerId: string): SubscriptionRecord {
  const { id: customer } = find(context, 'customers', customerId)
  const { amount, description, mandateId: _, ...given } = body
  const today = dateOf(context.now)
  const startDate = given.startDate ?? today
  if (startDate < today) throw unprocessable('The start date is in the past', 'startDate')
  const others = subscriptionsOf(context, customer).filter(({ status }) => status === 'active')
  if (others.some(({ price }) => price.label === description)) {
    throw unprocessable('A subscription with the same description already exists for this customer', 'description')
  }
  const cycle = parseInterval(given.interval) ?? { interval: null, intervalCount: null }
  return newSubscription(context, {
    customer,
    mandate: suitableMandate(context, customer, body).id,
    price: { id: '', label: description, amount: minorUnits(amount), currency: amount.currency, ...cycle },
    trialDays: null,
    anchor: anchorOf(startDate),
    periodEnd: chargeTime(startDate),
    own: { ...given, startDate, charged: 0 },
  })
}

/** A subscription of that customer. */
export function findOf(context: AccountContext, customerId: string, id: string): SubscriptionRecord {
  const subscription = find(context, 'subscriptions', id)
  if (subscription.customer !== find(context, 'customers', customerId).id) throw noSuch('subscriptions', id)
  return subscription
}

/** The newest first. */
export const subscriptionsOf = (context: AccountContext, customerId: string): SubscriptionRecord[] =>
  all(context, 'subscriptions')
    .filter(({ customer }) => customer === customerId)
    .reverse()

/** The newest first; the first payment is not one of them. */
export const paymentsOf = (context: AccountContext, { id }: SubscriptionRecord): PaymentRecord[] =>
  all(context, 'payments')
    .filter(({ subscription }) => subscription === id)
    .reverse()

/** Ends a subscription now: nothing is charged any more. Mollie refuses to cancel one twice. */
export function cancelSubscription(context: AccountContext, customerId: string, id: string): SubscriptionRecord {
  const subscription = findOf(context, customerId, id)
  if (subscription.status === 'canceled') throw unprocessable('The subscription has been cancelled.')
  subscription.status = 'canceled'
  subscription.canceledAt = context.now
  return subscription
}

/** A subscription waits as long as its mandate does. */
export function statusOf(context: AccountContext, { status, mandate }: SubscriptionRecord) {
  const waits = status === 'active' && mandateStatus(context, find(context, 'mandates', mandate ?? '')) === 'pending'
  return waits ? 'pending' : status
}

export function mandateStatus(context: AccountContext, { slow, revoked }: MandateRecord) {
  if (revoked) return 'invalid'
  return slow && (context.isOn('slowMandates') || context.isOn('pendingMandates')) ? 'pending' : 'valid'
}

function suitableMandate(context: AccountContext, customer: string, { mandateId, method }: Body): MandateRecord {
  const usable = context.isOn('slowMandates') ? ['valid'] : ['valid', 'pending']
  const found = mandatesOf(context, customer)
    .filter((mandate) => usable.includes(mandateStatus(context, mandate)))
    .filter(({ id }) => mandateId === null || id === mandateId)
    .find((mandate) => method === null || mandate.method === method)
  if (!found) throw unprocessable('No suitable mandates found for customer.')
  return found
}

/**
 * Charges a subscription for its next payment date, as if that day had come: the payment gets that day's date, whatever
 * the clock says, and the next payment date is one interval later. If the payment fails, the subscription stays active.
 */
export function renewSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  outcome: Outcome,
): PaymentRecord {
  const { id, customer, mandate, price, periodEnd: created } = subscription
  const status = statusOf(context, subscription)
  if (status !== 'active') throw unprocessable(`Subscription ${id} is ${status} and makes no payments.`)
  const { times, charged, webhookUrl, metadata } = subscriptionOwn(subscription)
  beginNextPeriod(subscription)
  subscription.own = { ...subscription.own, charged: charged + 1 }
  if (charged + 1 === times) subscription.status = 'completed'
  const payment = openPayment(context, {
    ...{ created, amount: price.amount, currency: price.currency, customer, mandate, subscription: id },
    description: price.label,
    method: find(context, 'mandates', mandate ?? '').method,
    own: { sequenceType: 'recurring', redirectUrl: null, cancelUrl: null, webhookUrl, locale: null, metadata },
  })
  return outcome === 'pending' ? attemptPayment(context, payment, 'pending') : finish(context, payment, outcome)
}
