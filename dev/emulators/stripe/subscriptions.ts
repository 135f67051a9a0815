import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, endSubscription, hasEnded, refuseEnded, scheduleEnd } from '../core/domain/subscriptions.ts'
import { CancellationReason } from '../core/wire/cancellation-reasons.ts'
import { boolean, emptyable, integer, text } from '../core/wire/form-fields.ts'
import { act, type Route, retrieve } from '../core/wire/routes.ts'
import { discountSubscription, subscriptionDiscounts } from './coupons.ts'
import { noSuch, refused } from './errors.ts'
import { managingSchedule, metadata, subscriptionOwn } from './own.ts'
import { changeItems, changeParameters, discardUpdate } from './plan-changes.ts'
import { refuseManaged, releaseSchedule } from './schedules.ts'

const CancelParameters = z.strictObject({
  cancellation_details: z
    .strictObject({ comment: text().exactOptional(), feedback: CancellationReason.exactOptional() })
    .default({}),
})

/** `cancel_at` may be in a later period; empty: the subscription does not end. */
const UpdateParameters = CancelParameters.extend({
  cancel_at_period_end: boolean.optional(),
  cancel_at: emptyable(integer(0)).optional(),
  metadata,
  ...changeParameters,
  discounts: subscriptionDiscounts,
  payment_behavior: z.enum(['allow_incomplete', 'pending_if_incomplete']).default('allow_incomplete'),
})

type Cancel = z.output<typeof CancelParameters>
type Update = z.output<typeof UpdateParameters>

function updateSubscription(context: AccountContext, subscription: SubscriptionRecord, given: Update) {
  const { cancel_at_period_end: cancel, cancel_at: at } = given
  if (cancel !== undefined && at !== undefined) throw refused('ends_twice')
  if (hasEnded(subscription) && (given.items || given.discounts || (cancel ?? at) !== undefined))
    throw refused('subscription_canceled')
  if ((cancel ?? at) !== undefined) refuseManaged(subscription)
  const waits = given.payment_behavior === 'pending_if_incomplete'
  if (waits) refuseUnsupported(given)
  const isChanged = !given.items || changeItems(context, subscription, given, { waits, cancelAtPeriodEnd: cancel })
  if (!isChanged) return subscription
  return change(context, subscription, () => {
    recordDetails(subscription, given)
    if (given.discounts) discountSubscription(context, subscription, given.discounts)
    if (at !== undefined) {
      scheduleEnd(context, subscription, at !== null)
      subscription.cancelAtPeriodEnd = false
      subscription.cancelAt = at
    }
    if (cancel !== undefined && cancel !== subscription.cancelAtPeriodEnd) scheduleEnd(context, subscription, cancel)
  })
}

/**
 * A pending update supports few parameters (docs.stripe.com/billing/subscriptions/pending-updates-reference), `cancel_at_period_end` since
 * 2026-09-30.endive (docs.stripe.com/changelog/endive/2026-09-30/scheduled-subscription-cancellation). The text is quoted in
 * github.com/codecov/codecov-api/pull/839.
 */
function refuseUnsupported({ cancel_at: at, cancellation_details: why }: Update): void {
  const param = at !== undefined ? 'cancel_at' : Object.keys(why).length > 0 ? 'cancellation_details' : null
  if (param !== null) throw refused('not_in_pending_update', { param })
}

/** Ends a subscription now, as `DELETE` does. An ended subscription is a 404 at Stripe. */
export function cancelSubscription(context: AccountContext, subscription: SubscriptionRecord, given?: Cancel) {
  if (hasEnded(subscription)) throw noSuch('subscriptions', subscription.id)
  recordDetails(subscription, given)
  discardUpdate(context, subscription)
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
