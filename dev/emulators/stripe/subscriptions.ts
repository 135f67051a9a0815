import * as z from 'zod'
import { find, type Ledger } from './account-context.ts'
import { settleLatePayment } from './delayed-payments.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { boolean, metadata } from './parameters.ts'
import type { SubscriptionRecord } from './records.ts'

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

export const findSubscription = (ledger: Ledger, id: string) =>
  find(ledger, ledger.records.subscriptions, 'subscription', id)

export function findRunning(ledger: Ledger, id: string): SubscriptionRecord {
  const subscription = findSubscription(ledger, id)
  if (hasEnded(subscription)) throw invalidRequest(`Subscription ${id} has ended.`)
  return subscription
}

export function updateSubscription(
  ledger: Ledger,
  parameters: z.output<typeof UpdateParameters>,
  id: string,
): SubscriptionRecord {
  const subscription = findSubscription(ledger, id)
  const { cancel_at_period_end: cancel, cancellation_details: details } = parameters
  if (hasEnded(subscription) && cancel !== undefined) {
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.')
  }
  return change(ledger, subscription, 'customer.subscription.updated', () => {
    noteDetails(subscription, details)
    subscription.metadata = mergeMetadata(subscription.metadata, parameters.metadata)
    if (cancel !== undefined && cancel !== subscription.cancelAtPeriodEnd) scheduleEnd(ledger, subscription, cancel)
  })
}

/** Ends it now, as `DELETE` does. Stripe does not find a subscription that has ended. */
export function cancelSubscription(
  ledger: Ledger,
  { cancellation_details: details }: z.output<typeof CancelParameters>,
  id: string,
): SubscriptionRecord {
  const subscription = findSubscription(ledger, id)
  if (hasEnded(subscription)) throw noSuch('subscription', id)
  noteDetails(subscription, details)
  return endSubscription(ledger, subscription, ledger.now)
}

/** What Stripe's own portal does under flexible billing: an end date, and the flag stays false. */
export function cancelInPortal(ledger: Ledger, id: string): SubscriptionRecord {
  const subscription = findRunning(ledger, id)
  return change(ledger, subscription, 'customer.subscription.updated', () => {
    scheduleEnd(ledger, subscription, true)
    subscription.cancelAtPeriodEnd = false
  })
}

/** The customer keeps, in the portal, what was to end: however that was scheduled. */
export function resumeInPortal(ledger: Ledger, id: string): SubscriptionRecord {
  const subscription = findRunning(ledger, id)
  return change(ledger, subscription, 'customer.subscription.updated', () => scheduleEnd(ledger, subscription, false))
}

export function announceTrialEnd(ledger: Ledger, id: string): SubscriptionRecord {
  const subscription = findSubscription(ledger, id)
  if (subscription.status !== 'trialing') throw invalidRequest(`Subscription ${id} is not in a trial.`)
  ledger.emit('customer.subscription.trial_will_end', subscriptionObject(subscription))
  return subscription
}

export const hasEnded = ({ status }: SubscriptionRecord) => status === 'canceled' || status === 'incomplete_expired'

export function endSubscription(ledger: Ledger, subscription: SubscriptionRecord, at: number): SubscriptionRecord {
  if (subscription.status === 'incomplete') return expireSubscription(ledger, subscription)
  subscription.cancelReason ??= subscription.status === 'past_due' ? 'payment_failed' : 'cancellation_requested'
  subscription.canceledAt ??= ledger.now
  subscription.status = 'canceled'
  subscription.endedAt = at
  ledger.emit('customer.subscription.deleted', subscriptionObject(subscription))
  return subscription
}

/** It never began, and its invoice is not collected any more. */
function expireSubscription(ledger: Ledger, subscription: SubscriptionRecord): SubscriptionRecord {
  const invoice = find(ledger, ledger.records.invoices, 'invoice', subscription.latestInvoice)
  return change(ledger, subscription, 'customer.subscription.updated', () => {
    invoice.status = 'void'
    subscription.status = 'incomplete_expired'
    subscription.endedAt = ledger.now
    settleLatePayment(ledger, subscription.id, 'failed')
  })
}

function scheduleEnd(ledger: Ledger, subscription: SubscriptionRecord, cancel: boolean): void {
  subscription.cancelAtPeriodEnd = cancel
  subscription.cancelAt = cancel ? subscription.periodEnd : null
  subscription.canceledAt = cancel ? ledger.now : null
  subscription.cancelReason = cancel ? 'cancellation_requested' : null
}

function noteDetails(
  subscription: SubscriptionRecord,
  details: z.output<typeof CancellationDetails> | undefined,
): void {
  if (details?.comment !== undefined) subscription.cancelComment = details.comment || null
  if (details?.feedback !== undefined) subscription.cancelFeedback = details.feedback || null
}

/** Members are merged and an empty value removes one; an empty string for the whole removes all. */
function mergeMetadata(kept: Record<string, string>, given: Record<string, string> | '' | undefined) {
  if (given === '') return {}
  return Object.fromEntries(Object.entries({ ...kept, ...given }).filter(([, value]) => value !== ''))
}

/** Tells of a change of a subscription, if there is any. */
export function change(
  ledger: Ledger,
  subscription: SubscriptionRecord,
  type: string,
  apply: () => void,
): SubscriptionRecord {
  const before = subscriptionObject(subscription)
  apply()
  const after = subscriptionObject(subscription)
  if (JSON.stringify(after) !== JSON.stringify(before)) ledger.emit(type, after, before)
  return subscription
}
