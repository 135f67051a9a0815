import * as z from 'zod'
import { type AccountContext, find, newestFirst } from '../core/domain/context.ts'
import { declines } from '../core/domain/customers.ts'
import type { Due } from '../core/domain/dues.ts'
import { chargeOnMandate } from '../core/domain/mandate-charges.ts'
import { findMandate, usableMandate } from '../core/domain/mandates.ts'
import type { PaymentResult } from '../core/domain/payments.ts'
import { listDisputes, openDispute } from '../core/domain/reversals.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { newSubscription } from '../core/domain/subscriptions.ts'
import { DAY_SECONDS, nextPeriodEnd } from '../core/periods.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import type { Ids } from '../core/wire/routes.ts'
import { Amount, minorUnits } from './amounts.ts'
import { addDays, chargeAnchor, chargeTime, isDate, parseInterval, toDate } from './dates.ts'
import { noSuch, unprocessable } from './errors.ts'
import { BOUNCES, Metadata, subscriptionOwn } from './own.ts'

/*
 * Mollie's subscriptions: created on a mandate of the customer, charged on each payment date, and ended at once by
 * a cancellation. A period ends at the next charge.
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

export function createSubscription(
  context: AccountContext,
  body: z.output<typeof SubscriptionBody>,
  [customerId]: Ids,
): SubscriptionRecord {
  const { id: customer } = find(context, 'customers', customerId)
  const { amount, description, mandateId, ...given } = body
  const today = toDate(context.now)
  const startDate = given.startDate ?? today
  if (startDate < today) throw unprocessable('The start date is in the past', 'startDate')
  refuseTaken(context, customer, description)
  const mandate = usableMandate(context, customer, { id: mandateId, method: given.method })
  if (!mandate) throw unprocessable('No suitable mandates found for customer.')
  const cycle = parseInterval(given.interval) ?? { interval: null, intervalCount: null }
  return newSubscription(context, {
    customer,
    mandate: mandate.id,
    price: { id: '', label: description, amount: minorUnits(amount), currency: amount.currency, ...cycle },
    trialDays: null,
    anchor: chargeAnchor(startDate),
    periodEnd: chargeTime(startDate),
    own: { ...given, startDate, charged: 0 },
  })
}

function refuseTaken(context: AccountContext, customer: string, description: string, own?: string): void {
  const others = newestFirst(context, 'subscriptions', { customer, status: 'active' })
  if (others.some(({ id, price }) => id !== own && price.label === description)) {
    throw unprocessable('A subscription with the same description already exists for this customer', 'description')
  }
}

export const SubscriptionUpdate = z.strictObject({
  amount: SubscriptionBody.shape.amount.optional(),
  interval: SubscriptionBody.shape.interval.optional(),
  description: SubscriptionBody.shape.description.optional(),
  startDate: z.string().refine(isDate, 'The start date is invalid').optional(),
  mandateId: z.string().optional(),
  metadata: Metadata.optional(),
})

/**
 * The seller changes a subscription, in the dashboard or by `PATCH`. This affects later charges. "The new interval will be calculated from
 * the last charge date"; the start date "should always be in the future" and "cannot be changed if it has already been charged"
 * (mollie/api-documentation, source/reference/v2/subscriptions-api/update-subscription.rst). If it has not been charged, a new interval
 * leaves the start date as it is.
 */
export function updateSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  { amount, interval, description, startDate, mandateId, metadata }: z.output<typeof SubscriptionUpdate>,
): SubscriptionRecord {
  const { status, price, customer } = subscription
  if (status !== 'active') throw unprocessable(`The subscription is ${status}.`)
  if (description !== undefined) refuseTaken(context, customer, description, subscription.id)
  if (startDate !== undefined) moveStart(context, subscription, startDate)
  if (mandateId !== undefined) {
    const mandate = usableMandate(context, customer, { id: mandateId, method: null })
    if (!mandate) throw unprocessable('The mandate is invalid', 'mandateId')
    subscription.mandate = mandate.id
  }
  subscription.price = {
    ...price,
    ...(amount && { amount: minorUnits(amount), currency: amount.currency }),
    ...(description && { label: description }),
  }
  if (interval) changeInterval(context, subscription, interval)
  if (metadata !== undefined) subscription.own = { ...subscription.own, metadata }
  return subscription
}

function moveStart(context: AccountContext, subscription: SubscriptionRecord, startDate: string): void {
  if (subscriptionOwn(subscription).charged > 0) {
    throw unprocessable('The start date cannot be changed when the subscription is already charged.', 'startDate')
  }
  if (startDate <= toDate(context.now)) throw unprocessable('The start date is in the past', 'startDate')
  subscription.own = { ...subscription.own, startDate }
  Object.assign(subscription, { anchor: chargeAnchor(startDate), periodEnd: chargeTime(startDate) })
}

/** `periodStart` is the last charge. A date that has passed becomes tomorrow, which is UNVERIFIED. */
function changeInterval({ now }: AccountContext, subscription: SubscriptionRecord, interval: string): void {
  const { interval: before, charged } = subscriptionOwn(subscription)
  subscription.own = { ...subscription.own, interval }
  subscription.price = { ...subscription.price, ...parseInterval(interval) }
  if (interval === before || charged === 0) return
  const { periodStart, price } = subscription
  subscription.anchor = chargeAnchor(toDate(periodStart))
  const next = nextPeriodEnd(periodStart, price, subscription.anchor)
  subscription.periodEnd = Math.max(next, chargeTime(addDays(toDate(now), 1)))
}

export function findSubscription(context: AccountContext, customerId: string, id: string): SubscriptionRecord {
  const subscription = find(context, 'subscriptions', id)
  if (subscription.customer !== find(context, 'customers', customerId).id) throw noSuch('subscriptions', id)
  return subscription
}

/** Ends a subscription now. Mollie refuses to cancel it twice. */
export function cancel(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (subscription.status === 'canceled') throw unprocessable('The subscription has been cancelled.')
  return Object.assign(subscription, { status: 'canceled', canceledAt: context.now })
}

/**
 * The time from payment to bounce of a direct debit: "can be rejected until 5 working days after the direct debit date"
 * (help.mollie.com/hc/en-us/articles/115000309865).
 */
const BOUNCE_SECONDS = 3 * DAY_SECONDS

/**
 * Without funds a SEPA direct debit either fails at once, or is paid and charged back later with a bank's code, while the payment
 * stays `paid` (docs.mollie.com/docs/handling-chargebacks-sepa-direct-debit). Both happen in practice; here it is the second, harder
 * case, unless the setting is off.
 */
export function chargeOrBounce(context: AccountContext, subscription: SubscriptionRecord, outcome: PaymentResult) {
  const isDebit = findMandate(context, subscription).method === 'directdebit'
  const bounces = outcome === 'failed' && isDebit && BOUNCES.read(context)
  return renewSubscription(context, subscription, bounces ? 'paid' : outcome)
}

/** The charges that bounce. */
export const bouncesDue = (context: AccountContext): Due[] =>
  !BOUNCES.read(context)
    ? []
    : newestFirst(context, 'payments', { status: 'paid', method: 'directdebit' })
        .filter(({ customer, subscription }) => subscription !== null && declines(context, customer))
        .filter((payment) => listDisputes(context, payment).length === 0)
        .map((payment) => ({
          at: payment.created + BOUNCE_SECONDS,
          run: (then) => openDispute(then, payment, { own: { code: 'AM04' } }),
        }))

/** Charges for the next payment date. A subscription with a limited number of charges ends with the last one. */
export function renewSubscription(context: AccountContext, subscription: SubscriptionRecord, outcome: PaymentResult) {
  const { times, charged, webhookUrl, metadata } = subscriptionOwn(subscription)
  const own = { sequenceType: 'recurring', redirectUrl: null, cancelUrl: null, locale: null, webhookUrl, metadata }
  const payment = chargeOnMandate(context, subscription, outcome, own)
  payment.own = { ...payment.own, paidUntil: subscription.periodEnd }
  subscription.own = { ...subscription.own, charged: charged + 1 }
  if (charged + 1 === times) subscription.status = 'completed'
  return payment
}
