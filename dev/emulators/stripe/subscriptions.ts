import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, endSubscription, hasEnded, refuseEnded, scheduleEnd } from '../core/domain/subscriptions.ts'
import { CancellationReason } from '../core/wire/cancellation-reasons.ts'
import { boolean, integer, text } from '../core/wire/form-fields.ts'
import { act, type Route, retrieve } from '../core/wire/routes.ts'
import { noSuch, refused } from './errors.ts'
import { managingSchedule, metadata, subscriptionOwn } from './own.ts'
import { refuseManaged, releaseSchedule } from './schedules.ts'

const CancelParameters = z.strictObject({
  cancellation_details: z
    .strictObject({ comment: text().exactOptional(), feedback: CancellationReason.exactOptional() })
    .default({}),
})

/** `cancel_at` may be in a later period. */
const UpdateParameters = CancelParameters.extend({
  cancel_at_period_end: boolean.optional(),
  cancel_at: integer(0).optional(),
  metadata,
})

type Cancel = z.output<typeof CancelParameters>
type Update = z.output<typeof UpdateParameters>

function updateSubscription(context: AccountContext, subscription: SubscriptionRecord, given: Update) {
  const { cancel_at_period_end: cancel, cancel_at: at } = given
  if (cancel !== undefined && at !== undefined) throw refused('ends_twice')
  if (hasEnded(subscription) && (cancel ?? at) !== undefined) throw refused('subscription_canceled')
  if ((cancel ?? at) !== undefined) refuseManaged(subscription)
  return change(context, subscription, () => {
    recordDetails(subscription, given)
    if (at !== undefined) {
      scheduleEnd(context, subscription, true)
      subscription.cancelAtPeriodEnd = false
      subscription.cancelAt = at
    }
    if (cancel !== undefined && cancel !== subscription.cancelAtPeriodEnd) scheduleEnd(context, subscription, cancel)
  })
}

/** Ends a subscription now, as `DELETE` does. An ended subscription is a 404 at Stripe. */
export function cancelSubscription(context: AccountContext, subscription: SubscriptionRecord, given?: Cancel) {
  if (hasEnded(subscription)) throw noSuch('subscriptions', subscription.id)
  recordDetails(subscription, given)
  return endSubscription(context, subscription)
}

/**
 * Cancels as Stripe's portal does under flexible billing: sets `cancel_at` and leaves `cancel_at_period_end` false. Or undoes a
 * cancellation made there or through the API. That it releases a schedule first is UNVERIFIED.
 */
export function setCancelledInPortal(context: AccountContext, subscription: SubscriptionRecord, cancelled: boolean) {
  refuseEnded(context, subscription)
  if (managingSchedule(subscription)) releaseSchedule(context, subscription)
  return change(context, subscription, () => {
    scheduleEnd(context, subscription, cancelled)
    subscription.cancelAtPeriodEnd = false
  })
}

/** Records the cancellation's reason, and merges metadata: an empty value removes its key. */
function recordDetails(
  subscription: SubscriptionRecord,
  { cancellation_details: why, ...given }: Partial<Update> = {},
): void {
  const own = subscriptionOwn(subscription)
  const merged = Object.entries({ ...own.metadata, ...given.metadata }).filter(([, value]) => value !== '')
  subscription.own = { ...own, ...why, metadata: Object.fromEntries(merged) }
}

const SUBSCRIPTION = '/v1/subscriptions/:id'

export const SUBSCRIPTION_ROUTES: Route[] = [
  retrieve(SUBSCRIPTION, 'subscriptions'),
  act('POST', SUBSCRIPTION, UpdateParameters, 'subscriptions', updateSubscription),
  act('DELETE', SUBSCRIPTION, CancelParameters, 'subscriptions', cancelSubscription),
]
