import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import { beginPeriod } from '../core/domain/renewals.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, endSubscription, hasEnded, scheduleEnd } from '../core/domain/subscriptions.ts'
import { CancellationReason } from '../core/wire/cancellation-reasons.ts'
import { optional } from '../core/wire/json-fields.ts'
import { discountSubscription } from './discounts.ts'
import { alreadyCanceled, polarError } from './errors.ts'
import { subscriptionOwn } from './own.ts'
import { changeProduct, clearPendingUpdate, ProductChange, productToChangeTo } from './plan-changes.ts'
import { renewals } from './rules.ts'

const CancellationDetails = z.object({
  customer_cancellation_reason: optional(CancellationReason),
  customer_cancellation_comment: optional(z.string()),
})
type CancellationDetails = z.input<typeof CancellationDetails>
const Cancel = z.strictObject({ cancel_at_period_end: z.boolean(), ...CancellationDetails.shape })
const Revoke = z.strictObject({ revoke: z.literal(true), ...CancellationDetails.shape })
const Resume = z.strictObject({ resume: z.literal(true) })
const Discounted = z.strictObject({ discount_id: z.string() })
const ClearPendingUpdate = z.strictObject({ pending_update: z.null() })

/** An empty change: `update` in server/polar/subscription/service.py only sends a webhook. */
const Unchanged = z.strictObject({})

export const SubscriptionBody = z.union([
  Cancel,
  Revoke,
  Resume,
  ProductChange,
  Discounted,
  ClearPendingUpdate,
  Unchanged,
])

type Body = z.output<typeof SubscriptionBody>

export function updateSubscription(context: AccountContext, subscription: SubscriptionRecord, body: Body) {
  if ('resume' in body) return resume(context, subscription)
  if ('pending_update' in body) return clearPendingUpdate(context, subscription)
  if ('product_id' in body) {
    const { product_id: id, proration_behavior: behavior } = body
    return changeProduct(context, subscription, productToChangeTo(context, subscription, id), behavior)
  }
  if ('discount_id' in body) return discountSubscription(context, subscription, body.discount_id)
  if ('revoke' in body) return revoke(context, subscription, body)
  if (!('cancel_at_period_end' in body)) {
    context.emit({ what: 'subscription.updated', subscription, before: structuredClone(subscription) })
    return subscription
  }
  return setCancelled(context, subscription, body.cancel_at_period_end, body)
}

/**
 * Schedules the subscription's end for the end of the period, or undoes that. A paused subscription can only be revoked
 * (`can_cancel` in server/polar/models/subscription.py).
 */
export function setCancelled(
  context: AccountContext,
  subscription: SubscriptionRecord,
  cancelled: boolean,
  details: CancellationDetails = {},
): SubscriptionRecord {
  const { status, cancelAtPeriodEnd } = subscription
  if (hasEnded(subscription) || (cancelled && (cancelAtPeriodEnd || status === 'paused'))) throw alreadyCanceled()
  if (!cancelled && !cancelAtPeriodEnd) {
    throw polarError(409, 'SubscriptionNotScheduledToCancel', 'This subscription is not scheduled to be canceled.')
  }
  return change(context, subscription, () => {
    recordReason(subscription, cancelled ? details : {})
    scheduleEnd(context, subscription, cancelled)
  })
}

/**
 * Resumes a paused subscription: a period begins now and is charged (`resume` in server/polar/subscription/service.py). Polar pauses only
 * at the end of a period. Here a test may pause earlier, ahead of the clock; then the period begins at that end.
 */
export function resume(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (subscription.status !== 'paused') throw context.refuse(`Subscription ${subscription.id} is not paused.`)
  const start = Math.max(context.now, subscription.periodEnd)
  return change(context, subscription, () => {
    Object.assign(subscription, { status: 'active', periodEnd: start, anchor: start })
    beginPeriod(context, subscription)
  })
}

/**
 * Ends a subscription now. Pending charges of product changes are dropped: only `cycle` creates an order for them, also at a scheduled
 * end (server/polar/subscription/service.py).
 */
export function revoke(
  context: AccountContext,
  subscription: SubscriptionRecord,
  details: CancellationDetails = {},
): SubscriptionRecord {
  if (hasEnded(subscription)) throw alreadyCanceled()
  recordReason(subscription, details)
  subscription.pendingLines = []
  return endSubscription(context, subscription, renewals())
}

function recordReason(subscription: SubscriptionRecord, details: CancellationDetails): void {
  subscription.own = { ...subscriptionOwn(subscription), ...CancellationDetails.parse(details) }
}
