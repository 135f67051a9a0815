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
  'webhook.ping',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export type EventSelector = '*' | Exclude<EventType, 'webhook.ping'>

/**
 * What a webhook endpoint may subscribe to: `*` is every type but `balance.changed`, which must be named. `webhook.ping` is the test event,
 * which is sent to one webhook endpoint whatever it subscribes to.
 */
export const EVENT_SELECTORS: readonly EventSelector[] = ['*', ...EVENT_TYPES.filter((type) => type !== 'webhook.ping')]
