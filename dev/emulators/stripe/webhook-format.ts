import { createHmac } from 'node:crypto'
import type { AccountContext } from '../core/domain/context.ts'
import type { DomainEvent, NewEvent } from '../core/domain/domain-events.ts'
import { latestAttempt } from '../core/domain/payments.ts'
import type { EventRecord } from '../core/domain/records.ts'
import type { PageRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { MINUTE_SECONDS } from '../core/periods.ts'
import type { WebhookFormat } from '../core/processor.ts'
import { createEvents, type Made, sameNames, showSubject } from '../core/webhooks/create-events.ts'
import { isPart, type Part } from '../core/wire/complete.ts'
import { snakeFields } from '../core/wire/snake.ts'
import type { StripeAccount } from './accounts.ts'
import { findPostPaymentInvoice } from './objects/post-payment-invoice.ts'
import { scheduleObject } from './objects/schedule.ts'
import { eventOwn, subscriptionOwn } from './own.ts'
import { API_VERSION } from './rules.ts'

/** The events in Stripe's order. */
const TYPES: Parameters<typeof createEvents>[0] = {
  'page.completed': ({ page }, context) => ['checkout.session.completed', ...invoiceEvents(page, context)],
  'page.expired': ['checkout.session.expired'],
  'page.paid': ({ page }, context) => ['checkout.session.async_payment_succeeded', ...invoiceEvents(page, context)],
  'page.failed': ['checkout.session.async_payment_failed'],
  'payment.pending': ['charge.pending', 'payment_intent.processing'],
  'payment.paid': ['charge.succeeded', 'payment_intent.succeeded'],
  'payment.failed': ['charge.failed', 'payment_intent.payment_failed'],
  'subscription.created': ['customer.subscription.created'],
  'subscription.updated': ['customer.subscription.updated'],
  'subscription.change_scheduled': ({ subscription }, context) => scheduleEvents('created', subscription, context),
  'subscription.change_unscheduled': ({ subscription }, context) => scheduleEvents('released', subscription, context),
  'subscription.schedule_updated': ({ subscription }, context) => scheduleEvents('updated', subscription, context),
  'subscription.update_applied': ['customer.subscription.pending_update_applied'],
  'subscription.update_expired': ['customer.subscription.pending_update_expired'],
  'subscription.paused': ['customer.subscription.paused'],
  'subscription.resumed': ['customer.subscription.resumed'],
  'subscription.ended': ['customer.subscription.deleted'],
  'subscription.trial_ending': ['customer.subscription.trial_will_end'],
  'invoice.failed': ['invoice.payment_failed'],
  'refund.created': ['refund.created', 'charge.refunded'],
  ...sameNames('invoice.paid', 'refund.updated', 'refund.failed'),
  'dispute.opened': ({ dispute }) => [
    'charge.dispute.created',
    ...(dispute.status === 'open' ? ['charge.dispute.funds_withdrawn'] : []),
  ],
  'dispute.escalated': ['charge.dispute.updated', 'charge.dispute.funds_withdrawn'],
  'dispute.closed': ({ dispute }) => [
    'charge.dispute.closed',
    ...(dispute.status === 'won' ? ['charge.dispute.funds_reinstated'] : []),
  ],
}

export type StripeEvent = ReturnType<typeof eventObject>

/** An event, in webhooks and in the API. `data.object` is the object as it was at the event. */
export function eventObject(event: EventRecord, { pending }: { pending: number }) {
  const { previous, request } = eventOwn(event)
  return {
    ...snakeFields(event, 'id', 'created', 'type'),
    object: 'event' as const,
    api_version: API_VERSION,
    data: { object: event.object, ...(previous && { previous_attributes: previous }) },
    livemode: false as const,
    pending_webhooks: pending,
    request,
  }
}

export const WEBHOOK_FORMAT: WebhookFormat<StripeAccount, StripeEvent> = {
  toEvents: createEvents(TYPES, toEvent),
  eventObject,
  headers: (body, { webhookSecret }) => ({
    'Content-Type': 'application/json; charset=utf-8',
    'Stripe-Signature': sign(body, webhookSecret),
    'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
  }),
  // Up to three days, exponentially, as in live mode; a sandbox makes only three attempts. The exact times are not published:
  // UNVERIFIED.
  retrySeconds: [5, 30, 2 * 60, 4 * 60, 8 * 60, 16 * 60, 24 * 60, 17 * 60].map((minutes) => minutes * MINUTE_SECONDS),
}

/** The event of the invoice of a one-time payment. */
function invoiceEvents(page: PageRecord, context: AccountContext): Made[] {
  const object = findPostPaymentInvoice(context, page)
  return object ? [{ type: 'invoice.paid', object, own: { previous: null, request: requestObject(context) } }] : []
}

function scheduleEvents(
  what: 'created' | 'updated' | 'released',
  subscription: SubscriptionRecord,
  context: AccountContext,
): Made[] {
  const schedule = subscriptionOwn(subscription).schedules.at(-1)
  if (!schedule) return []
  const own = { previous: null, request: requestObject(context) }
  return [{ type: `subscription_schedule.${what}`, object: scheduleObject(subscription, schedule), own }]
}

function requestObject({ cause }: AccountContext) {
  return { id: cause?.requestId ?? null, idempotency_key: cause?.idempotencyKey ?? null }
}

function toEvent(type: string, domainEvent: DomainEvent, context: AccountContext): NewEvent {
  const isOfCharge = type.startsWith('charge.') && 'payment' in domainEvent && !('dispute' in domainEvent)
  const charge = isOfCharge && latestAttempt(context, domainEvent.payment.id)
  const object = charge ? context.show('attempts', charge) : showSubject(domainEvent, context)
  const before = previousAttributes(domainEvent, object, context)
  return { type, object, own: { previous: before && oldValues(before, object), request: requestObject(context) } }
}

/** The object before the change, for events that include it; otherwise null. */
function previousAttributes(domainEvent: DomainEvent, object: object, context: AccountContext): object | null {
  if (domainEvent.what === 'subscription.updated') return context.show('subscriptions', domainEvent.before)
  if (domainEvent.what !== 'refund.created' || !('amount_refunded' in object)) return null
  return { ...object, amount_refunded: Number(object.amount_refunded) - domainEvent.refund.amount, refunded: false }
}

/** The signature uses real time, because the service compares it with its own clock. */
function sign(body: string, secret: string): string {
  const at = Math.floor(Date.now() / 1000)
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}

/** The old values of changed fields; null for new fields. Compares nested objects recursively. */
function oldValues(before: object, after: object): Part {
  const was: Part = { ...before }
  const is: Part = { ...after }
  const previous: Part = {}
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const old = was[key]
    const now = is[key]
    if (JSON.stringify(old) === JSON.stringify(now)) continue
    previous[key] = isPart(old) && isPart(now) ? oldValues(old, now) : (old ?? null)
  }
  return previous
}
