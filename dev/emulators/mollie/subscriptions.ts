import * as z from 'zod'
import { newRecord } from '../core/tables.ts'
import { type AccountContext, find } from './account-context.ts'
import { Amount, minorUnits } from './amounts.ts'
import { findCustomer } from './customers.ts'
import { dateOf, isDate, parseInterval } from './dates.ts'
import { noSuch, unprocessable } from './errors.ts'
import { mandateStatus, mandatesOf } from './mandates.ts'
import { Metadata } from './metadata.ts'
import { optional, webAddress } from './parameters.ts'
import type { CustomerRecord, MandateRecord, PaymentRecord, SubscriptionRecord } from './records.ts'

/*
 * A subscription at Mollie: it is created on a valid mandate of its customer, is charged by `renewSubscription` in
 * time.ts, and is cancelled, which ends it at once.
 */

const METHODS = ['creditcard', 'directdebit', 'paypal'] as const

export const SubscriptionBody = z.strictObject({
  amount: Amount.refine((amount) => minorUnits(amount) > 0, 'The amount is lower than the minimum'),
  interval: z.string().refine((text) => parseInterval(text) !== null, 'The interval is invalid'),
  description: z.string().min(1).max(255),
  startDate: optional(z.string().refine(isDate, 'The start date is invalid')),
  times: optional(z.int().min(1)),
  webhookUrl: optional(webAddress),
  metadata: optional(Metadata),
  method: optional(z.enum(METHODS)),
  mandateId: optional(z.string()),
})

type Body = z.output<typeof SubscriptionBody>

export function createSubscription(context: AccountContext, body: Body, customerId: string): SubscriptionRecord {
  const customer = findCustomer(context, customerId)
  const { mandateId: _, startDate, ...given } = body
  const today = dateOf(context.now)
  if (startDate !== null && startDate < today) throw unprocessable('The start date is in the past', 'startDate')
  const others = subscriptionsOf(context, customer).filter(isActive)
  if (others.some(({ description }) => description === given.description)) {
    throw unprocessable('A subscription with the same description already exists for this customer', 'description')
  }
  const first = startDate ?? today
  const subscription: SubscriptionRecord = {
    ...newRecord(context, 'sub_', 6),
    ...given,
    customer: customer.id,
    mandate: suitableMandate(context, customer, body).id,
    charged: 0,
    startDate: first,
    nextPaymentDate: first,
    status: 'active',
    canceledAt: null,
  }
  context.records.subscriptions.set(subscription.id, subscription)
  return subscription
}

/** A subscription by its id alone: the emulator's controls do not name its customer. */
export const findSubscription = (context: AccountContext, id: string) =>
  find(context, context.records.subscriptions, 'subscription', id)

/** A subscription of that customer. */
export function findOf(context: AccountContext, customerId: string, id: string): SubscriptionRecord {
  const subscription = findSubscription(context, id)
  if (subscription.customer !== findCustomer(context, customerId).id) throw noSuch('subscription', id)
  return subscription
}

/** The newest first. */
export const subscriptionsOf = ({ records }: AccountContext, { id }: CustomerRecord): SubscriptionRecord[] =>
  [...records.subscriptions.values()].filter(({ customer }) => customer === id).reverse()

/** The newest first; the first payment is not one of them. */
export const paymentsOf = ({ records }: AccountContext, { id }: SubscriptionRecord): PaymentRecord[] =>
  [...records.payments.values()].filter(({ subscription }) => subscription === id).reverse()

/** Ends a subscription now: nothing is charged any more. Mollie refuses to cancel one twice. */
export function cancelSubscription(context: AccountContext, customerId: string, id: string): SubscriptionRecord {
  const subscription = findOf(context, customerId, id)
  if (subscription.status === 'canceled') throw unprocessable('The subscription has been cancelled.')
  subscription.status = 'canceled'
  subscription.canceledAt = context.now
  subscription.nextPaymentDate = null
  return subscription
}

export const isActive = ({ status }: SubscriptionRecord) => status === 'active'

function suitableMandate(
  context: AccountContext,
  customer: CustomerRecord,
  { mandateId, method }: Body,
): MandateRecord {
  const found = mandatesOf(context, customer)
    .filter((mandate) => mandateStatus(context, mandate) === 'valid')
    .filter(({ id }) => mandateId === null || id === mandateId)
    .find((mandate) => method === null || mandate.method === method)
  if (!found) throw unprocessable('No suitable mandates found for customer.')
  return found
}
