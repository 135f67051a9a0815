import type { EventType } from '../../../lib/events/types.ts'

/** When an event of each type arrives: one sentence, and what else must not be misread. */
export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  'subscription.created': 'Arrives when a subscription has begun, with a trial or a payment.',
  'subscription.updated':
    'Arrives when a subscription has changed in a way that no other event covers, such as a new period that is not paid yet, or a ' +
    'scheduled change of plan that was undone.',
  'subscription.renewed': 'Arrives when a new period of a subscription is paid.',
  'subscription.trial_ending':
    'Arrives when a trial ends in three days, or when it begins if it is shorter: once, and never for a trial that is cancelled.',
  'subscription.cancel_scheduled':
    'Arrives when a subscription is set to end with its current period. It gives access until then.',
  'subscription.uncanceled': 'Arrives when the cancellation of a subscription was undone: it will renew.',
  'subscription.past_due':
    'Arrives when a payment of a subscription is overdue. It gives access until `access_until`, the end of the grace period.',
  'subscription.access_ended':
    'Arrives when the grace period of a subscription is over: it no longer gives access, while its processor keeps retrying the charge.',
  'subscription.recovered': 'Arrives when a subscription whose access had ended is paid.',
  'subscription.plan_changed':
    'Arrives when a subscription has another price or quantity, wherever it was changed. `price_slug` is null if it matches no price of the ' +
    'paywall: then the subscription keeps its features until the end of the paid period.',
  'subscription.plan_change_scheduled':
    'Arrives when a change of plan is scheduled, usually for the end of the current period: see `scheduled_change`.',
  'subscription.ended': 'Arrives when a subscription has ended: it gives no access any more.',
  'subscription.stop_failed':
    'Arrives when a subscription that a newer purchase replaced, or that you ended, could not be stopped at its processor for a day: its buyer ' +
    'may be charged for both. We keep retrying; check it in the dashboard.',
  'payment.succeeded': 'Arrives when a payment was made, the first one and each renewal.',
  'payment.failed': 'Arrives when an attempt to charge a payment has failed.',
  'payment.refunded': 'Arrives when a payment was refunded, in part or as a whole: once for each refund.',
  'payment.refund_failed': 'Arrives when a refund has failed after it had succeeded: the money was returned to you.',
  'payment.disputed': 'Arrives when the buyer disputes a payment.',
  'payment.dispute_lost':
    'Arrives when a dispute was decided in favor of the buyer, which returns the payment like a refund.',
  'payment.dispute_won': 'Arrives when a dispute was decided in your favor.',
  'payment.unexpected':
    'Arrives when a subscription that should no longer be charged was charged, in addition to `payment.succeeded`: the payment was pending ' +
    'when a newer purchase replaced it or when you ended it, or the subscription could not be stopped in time. Refund the payment.',
  'checkout.completed': 'Arrives when something was bought on a hosted page, or a trial was started there.',
  'grant.created': 'Arrives when you gave a user access without a payment.',
  'grant.ended':
    'Arrives when access without a payment has ended: its time is over, or you ended it, which `ended_at` before `ends_at` shows.',
  'ticket.created': 'Arrives when a user or a guest has opened a support ticket.',
  'balance.changed':
    'Arrives when a balance has changed by a credit, a debit, the tokens of a price or a refund. Sent only to webhook endpoints that list this ' +
    'type by name.',
  'user.merged':
    'Arrives when a user was merged into another one, which now has its purchases, tickets, tokens and `meta`. All earlier events about the ' +
    'merged user arrive before this one, and none follow.',
  'webhook.ping':
    'Arrives when you sent a test event to this webhook endpoint, from the console or with `paywall webhooks test`. It reports nothing: ' +
    'acknowledge it. It is sent to that endpoint only, whatever it subscribes to, and `paywall_id` is that of one of your paywalls.',
}
