import { type AccountContext, all } from './context.ts'
import { declines } from './customers.ts'
import type { Due } from './dues.ts'
import { findMandate, statusOnMandate } from './mandates.ts'
import type { PaymentRecord } from './money-records.ts'
import { expirePaymentIfOver, finishPayment } from './payment-pages.ts'
import { attemptPayment, openPayment, type PaymentResult } from './payments.ts'
import { beginNextPeriod } from './renewals.ts'
import type { SubscriptionRecord } from './selling-records.ts'

/*
 * Subscriptions that are charged on mandates, by payments without invoices. A subscription continues after a failed charge
 * and is charged on each date forever: no status shows that money is owed (`subscription-status` in the vendor's OpenAPI
 * document).
 */

/**
 * Charges a subscription for its next payment date as if it were that day: the payment gets that date, whatever the clock
 * says, and the next payment date moves by one interval.
 */
export function chargeOnMandate(
  context: AccountContext,
  subscription: SubscriptionRecord,
  outcome: PaymentResult,
  own: PaymentRecord['own'],
): PaymentRecord {
  const { id, customer, mandate, price, periodEnd: created } = subscription
  const status = statusOnMandate(context, subscription)
  if (status !== 'active') throw context.refuse(`Subscription ${id} is ${status} and makes no payments.`)
  beginNextPeriod(subscription)
  const payment = openPayment(context, {
    created,
    amount: price.amount,
    currency: price.currency,
    customer,
    mandate,
    subscription: id,
    own,
    description: price.label,
    method: findMandate(context, subscription).method,
  })
  return outcome === 'pending' ? attemptPayment(context, payment, 'pending') : finishPayment(context, payment, outcome)
}

type Charge = (context: AccountContext, subscription: SubscriptionRecord, outcome: PaymentResult) => unknown

export const chargesOnMandatesDue = (context: AccountContext, charge: Charge): Due[] =>
  all(context, 'subscriptions')
    .filter((subscription) => statusOnMandate(context, subscription) === 'active')
    .map((subscription) => ({
      at: subscription.periodEnd,
      run: (then) => charge(then, subscription, declines(then, subscription.customer) ? 'failed' : 'paid'),
    }))

/** Payments with their own page expire with it. */
export const openPaymentsDue = (context: AccountContext): Due[] =>
  all(context, 'payments').flatMap((payment) =>
    payment.status === 'open' && payment.expiresAt !== null
      ? [{ at: payment.expiresAt, inRealTime: true, run: (then) => expirePaymentIfOver(then, payment) }]
      : [],
  )
