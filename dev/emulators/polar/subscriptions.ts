import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, endSubscription, hasEnded, pauseSubscription, scheduleEnd } from '../core/domain/subscriptions.ts'
import { CancellationReason } from '../core/wire/cancellation-reasons.ts'
import { optional } from '../core/wire/json-fields.ts'
import { alreadyCanceled, polarError } from './errors.ts'
import { subscriptionOwn } from './own.ts'

const why = {
  customer_cancellation_reason: optional(CancellationReason),
  customer_cancellation_comment: optional(z.string()),
}
const Cancel = z.strictObject({ cancel_at_period_end: z.boolean(), ...why })
const Revoke = z.strictObject({ revoke: z.literal(true), ...why })
const Resume = z.strictObject({ resume: z.literal(true) })

export const SubscriptionBody = z.union([Cancel, Revoke, Resume])

type Body = z.output<typeof SubscriptionBody>

export function updateSubscription(context: AccountContext, subscription: SubscriptionRecord, body: Body) {
  if ('resume' in body) return pauseSubscription(context, subscription, false)
  if ('revoke' in body) return revoke(context, subscription, body)
  return body.cancel_at_period_end ? cancel(context, subscription, body) : uncancel(context, subscription)
}

type Why = Partial<Pick<z.output<typeof Cancel>, keyof typeof why>>

/** The end of the period becomes the end of the subscription. */
export function cancel(context: AccountContext, subscription: SubscriptionRecord, given: Why = {}) {
  if (hasEnded(subscription) || subscription.cancelAtPeriodEnd) throw alreadyCanceled()
  return change(context, subscription, () => {
    note(subscription, given)
    scheduleEnd(context, subscription, true)
  })
}

export function uncancel(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  if (hasEnded(subscription)) throw alreadyCanceled()
  if (!subscription.cancelAtPeriodEnd) {
    throw polarError(409, 'SubscriptionNotScheduledToCancel', 'This subscription is not scheduled to be canceled.')
  }
  return change(context, subscription, () => {
    note(subscription, {})
    scheduleEnd(context, subscription, false)
  })
}

/** Ends a subscription now. */
export function revoke(context: AccountContext, subscription: SubscriptionRecord, given: Why = {}): SubscriptionRecord {
  if (hasEnded(subscription)) throw alreadyCanceled()
  note(subscription, given)
  return endSubscription(context, subscription)
}

function note(subscription: SubscriptionRecord, given: Why): void {
  const { customer_cancellation_reason = null, customer_cancellation_comment = null } = given
  const own = subscriptionOwn(subscription)
  subscription.own = { ...own, customer_cancellation_reason, customer_cancellation_comment }
}
