import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, endSubscription, hasEnded, pauseSubscription, scheduleEnd } from '../core/domain/subscriptions.ts'
import { CancellationReason } from '../core/wire/cancellation-reasons.ts'
import { optional } from '../core/wire/json-fields.ts'
import { alreadyCanceled, polarError } from './errors.ts'
import { subscriptionOwn } from './own.ts'

const Why = z.object({
  customer_cancellation_reason: optional(CancellationReason),
  customer_cancellation_comment: optional(z.string()),
})
type Why = z.input<typeof Why>
const Cancel = z.strictObject({ cancel_at_period_end: z.boolean(), ...Why.shape })
const Revoke = z.strictObject({ revoke: z.literal(true), ...Why.shape })
const Resume = z.strictObject({ resume: z.literal(true) })

export const SubscriptionBody = z.union([Cancel, Revoke, Resume])

type Body = z.output<typeof SubscriptionBody>

export function updateSubscription(context: AccountContext, subscription: SubscriptionRecord, body: Body) {
  if ('resume' in body) return pauseSubscription(context, subscription, false)
  if ('revoke' in body) return revoke(context, subscription, body)
  return setCancelled(context, subscription, body.cancel_at_period_end, body)
}

/** Makes the end of the period the end of the subscription, or takes that back. */
export function setCancelled(
  context: AccountContext,
  subscription: SubscriptionRecord,
  cancelled: boolean,
  why: Why = {},
): SubscriptionRecord {
  if (hasEnded(subscription) || (cancelled && subscription.cancelAtPeriodEnd)) throw alreadyCanceled()
  if (!cancelled && !subscription.cancelAtPeriodEnd) {
    throw polarError(409, 'SubscriptionNotScheduledToCancel', 'This subscription is not scheduled to be canceled.')
  }
  return change(context, subscription, () => {
    note(subscription, cancelled ? why : {})
    scheduleEnd(context, subscription, cancelled)
  })
}

/** Ends a subscription now. */
export function revoke(context: AccountContext, subscription: SubscriptionRecord, why: Why = {}): SubscriptionRecord {
  if (hasEnded(subscription)) throw alreadyCanceled()
  note(subscription, why)
  return endSubscription(context, subscription)
}

function note(subscription: SubscriptionRecord, why: Why): void {
  subscription.own = { ...subscriptionOwn(subscription), ...Why.parse(why) }
}
