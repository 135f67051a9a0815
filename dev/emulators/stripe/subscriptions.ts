import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, endSubscription, hasEnded, refuseEnded, scheduleEnd } from '../core/domain/subscriptions.ts'
import { boolean } from '../core/wire/form-fields.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { Feedback, subscriptionOwn } from './own.ts'
import { metadata } from './parameters.ts'

const CancellationDetails = z
  .strictObject({ comment: z.string().max(5000).optional(), feedback: Feedback.or(z.literal('')).optional() })
  .optional()

export const UpdateParameters = z.strictObject({
  cancel_at_period_end: boolean.optional(),
  cancellation_details: CancellationDetails,
  metadata: metadata.or(z.literal('')).optional(),
})

export const CancelParameters = z.strictObject({ cancellation_details: CancellationDetails })

export function updateSubscription(
  context: AccountContext,
  { cancel_at_period_end: cancel, cancellation_details: details, ...given }: z.output<typeof UpdateParameters>,
  id: string,
): SubscriptionRecord {
  const subscription = find(context, 'subscriptions', id)
  if (hasEnded(subscription) && cancel !== undefined) {
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.')
  }
  return change(context, subscription, () => {
    note(subscription, details, given.metadata)
    if (cancel !== undefined && cancel !== subscription.cancelAtPeriodEnd) scheduleEnd(context, subscription, cancel)
  })
}

/** Ends a subscription now, as `DELETE` does. One that has ended is a 404 at Stripe. */
export function cancelSubscription(
  context: AccountContext,
  { cancellation_details: details }: z.output<typeof CancelParameters>,
  id: string,
): SubscriptionRecord {
  const subscription = find(context, 'subscriptions', id)
  if (hasEnded(subscription)) throw noSuch('subscriptions', id)
  note(subscription, details)
  return endSubscription(context, subscription)
}

/** Cancels as Stripe's own portal does under flexible billing: it sets `cancel_at`, and the flag stays false. */
export function cancelInPortal(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  refuseEnded(context, subscription)
  return change(context, subscription, () => {
    scheduleEnd(context, subscription, true)
    subscription.cancelAtPeriodEnd = false
  })
}

/** Takes a cancellation back as the portal does, whether it was made there or through the API. */
export function resumeInPortal(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  refuseEnded(context, subscription)
  return change(context, subscription, () => scheduleEnd(context, subscription, false))
}

/** Notes why somebody cancels, and merges metadata: an empty value removes its field, an empty string instead removes all. */
function note(
  subscription: SubscriptionRecord,
  details: z.output<typeof CancellationDetails>,
  metadata: Record<string, string> | '' = {},
): void {
  const own = subscriptionOwn(subscription)
  const merged = metadata === '' ? [] : Object.entries({ ...own.metadata, ...metadata })
  subscription.own = {
    cancelComment: details?.comment === undefined ? own.cancelComment : details.comment || null,
    cancelFeedback: details?.feedback === undefined ? own.cancelFeedback : details.feedback || null,
    metadata: Object.fromEntries(merged.filter(([, value]) => value !== '')),
  }
}
