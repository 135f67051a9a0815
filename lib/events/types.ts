/** Every type of event that an owner's backend can receive. */
export const EVENT_TYPES = [
  'subscription.created',
  'subscription.updated',
  'subscription.renewed',
  'subscription.trial_ending',
  'subscription.cancel_scheduled',
  'subscription.uncanceled',
  'subscription.past_due',
  'subscription.access_ended',
  'subscription.recovered',
  'subscription.plan_changed',
  'subscription.plan_change_scheduled',
  'subscription.ended',
  'subscription.stop_failed',
  'payment.succeeded',
  'payment.failed',
  'payment.refunded',
  'payment.refund_failed',
  'payment.disputed',
  'payment.dispute_lost',
  'payment.dispute_won',
  'payment.unexpected',
  'checkout.completed',
  'grant.created',
  'grant.ended',
  'ticket.created',
  'balance.changed',
  'user.merged',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** What a webhook endpoint may subscribe to: `*` is every type but `balance.changed`, which must be named. */
export const EVENT_SELECTORS = ['*', ...EVENT_TYPES] as const

export type EventSelector = (typeof EVENT_SELECTORS)[number]
