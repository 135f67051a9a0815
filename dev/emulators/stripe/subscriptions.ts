import * as z from 'zod'
import { type AccountContext, find } from './account-context.ts'
import { reportDelayedPayment } from './delayed-payments.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { boolean, metadata } from './parameters.ts'
import type { SubscriptionRecord } from './records.ts'

/*
 * What can happen to a subscription besides renewals: the API changes it or cancels it, the portal cancels it or takes
 * that back, and it ends. Each goes through `change` or `endSubscription`, which send the event.
 */

const FEEDBACK = [
  'customer_service',
  'low_quality',
  'missing_features',
  'other',
  'switched_service',
  'too_complex',
  'too_expensive',
  'unused',
  '',
] as const

const CancellationDetails = z.strictObject({
  comment: z.string().max(5000).optional(),
  feedback: z.enum(FEEDBACK).optional(),
})

export const UpdateParameters = z.strictObject({
  cancel_at_period_end: boolean.optional(),
  cancellation_details: CancellationDetails.optional(),
  metadata: metadata.or(z.literal('')).optional(),
})

export const CancelParameters = z.strictObject({ cancellation_details: CancellationDetails.optional() })

export const findSubscription = (context: AccountContext, id: string) =>
  find(context, context.records.subscriptions, 'subscription', id)

export function findRunning(context: AccountContext, id: string): SubscriptionRecord {
  const subscription = findSubscription(context, id)
  if (hasEnded(subscription)) throw invalidRequest(`Subscription ${id} has ended.`)
  return subscription
}

export function updateSubscription(
  context: AccountContext,
  parameters: z.output<typeof UpdateParameters>,
  id: string,
): SubscriptionRecord {
  const subscription = findSubscription(context, id)
  const { cancel_at_period_end: cancel, cancellation_details: details } = parameters
  if (hasEnded(subscription) && cancel !== undefined) {
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.')
  }
  return change(context, subscription, 'customer.subscription.updated', () => {
    noteDetails(subscription, details)
    subscription.metadata = mergeMetadata(subscription.metadata, parameters.metadata)
    if (cancel !== undefined && cancel !== subscription.cancelAtPeriodEnd) scheduleEnd(context, subscription, cancel)
  })
}

/** Ends a subscription now, as `DELETE` does. One that has ended is a 404 at Stripe. */
export function cancelSubscription(
  context: AccountContext,
  { cancellation_details: details }: z.output<typeof CancelParameters>,
  id: string,
): SubscriptionRecord {
  const subscription = findSubscription(context, id)
  if (hasEnded(subscription)) throw noSuch('subscription', id)
  noteDetails(subscription, details)
  return endSubscription(context, subscription, context.now)
}

/** Cancels as Stripe's own portal does under flexible billing: it sets `cancel_at`, and the flag stays false. */
export function cancelInPortal(context: AccountContext, id: string): SubscriptionRecord {
  const subscription = findRunning(context, id)
  return change(context, subscription, 'customer.subscription.updated', () => {
    scheduleEnd(context, subscription, true)
    subscription.cancelAtPeriodEnd = false
  })
}

/** Takes a cancellation back as the portal does, whether it was made there or through the API. */
export function resumeInPortal(context: AccountContext, id: string): SubscriptionRecord {
  const subscription = findRunning(context, id)
  return change(context, subscription, 'customer.subscription.updated', () => scheduleEnd(context, subscription, false))
}

export function announceTrialEnd(context: AccountContext, id: string): SubscriptionRecord {
  const subscription = findSubscription(context, id)
  if (subscription.status !== 'trialing') throw invalidRequest(`Subscription ${id} is not in a trial.`)
  context.emit('customer.subscription.trial_will_end', subscriptionObject(subscription))
  return subscription
}

export const hasEnded = ({ status }: SubscriptionRecord) => status === 'canceled' || status === 'incomplete_expired'

export function endSubscription(
  context: AccountContext,
  subscription: SubscriptionRecord,
  at: number,
): SubscriptionRecord {
  if (subscription.status === 'incomplete') return expireSubscription(context, subscription)
  const isOwed = subscription.status === 'past_due' || subscription.status === 'unpaid'
  subscription.cancelReason ??= isOwed ? 'payment_failed' : 'cancellation_requested'
  subscription.canceledAt ??= context.now
  subscription.status = 'canceled'
  subscription.endedAt = at
  context.emit('customer.subscription.deleted', subscriptionObject(subscription))
  return subscription
}

/** Ends a subscription that was never paid: its invoice is void and will not be charged. */
function expireSubscription(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  const invoice = find(context, context.records.invoices, 'invoice', subscription.latestInvoice)
  return change(context, subscription, 'customer.subscription.updated', () => {
    invoice.status = 'void'
    subscription.status = 'incomplete_expired'
    subscription.endedAt = context.now
    reportDelayedPayment(context, subscription.id, 'failed')
  })
}

function scheduleEnd(context: AccountContext, subscription: SubscriptionRecord, cancel: boolean): void {
  subscription.cancelAtPeriodEnd = cancel
  subscription.cancelAt = cancel ? subscription.periodEnd : null
  subscription.canceledAt = cancel ? context.now : null
  subscription.cancelReason = cancel ? 'cancellation_requested' : null
}

function noteDetails(
  subscription: SubscriptionRecord,
  details: z.output<typeof CancellationDetails> | undefined,
): void {
  if (details?.comment !== undefined) subscription.cancelComment = details.comment || null
  if (details?.feedback !== undefined) subscription.cancelFeedback = details.feedback || null
}

/** Merges metadata: an empty value removes its field, and an empty string instead of an object removes all. */
function mergeMetadata(kept: Record<string, string>, given: Record<string, string> | '' | undefined) {
  if (given === '') return {}
  return Object.fromEntries(Object.entries({ ...kept, ...given }).filter(([, value]) => value !== ''))
}

/** Applies a change to a subscription, and sends an event if the object differs afterwards. */
export function change(
  context: AccountContext,
  subscription: SubscriptionRecord,
  type: string,
  apply: () => void,
): SubscriptionRecord {
  const before = subscriptionObject(subscription)
  apply()
  const after = subscriptionObject(subscription)
  if (JSON.stringify(after) !== JSON.stringify(before)) context.emit(type, after, before)
  return subscription
}
