import { createHmac } from 'node:crypto'
import type { AccountContext } from '../core/domain/context.ts'
import type { Happening, NewEvent } from '../core/domain/happenings.ts'
import type { Telling } from '../core/processor.ts'
import type { StripeAccount } from './accounts.ts'
import { checkoutSessionObject } from './objects/checkout-session.ts'
import { disputeObject } from './objects/dispute.ts'
import { eventObject, type StripeEvent } from './objects/event.ts'
import { invoiceObject } from './objects/invoice.ts'
import { chargeObject, paymentIntentObject } from './objects/payment.ts'
import { refundObject } from './objects/refund.ts'
import { subscriptionObject } from './objects/subscription.ts'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * MINUTE_SECONDS

/** The ends of the names of the two events that an attempt has: of its charge and of its payment intent. */
const ATTEMPTS: Partial<Record<Happening['what'], [string, string]>> = {
  'payment.pending': ['pending', 'processing'],
  'payment.paid': ['succeeded', 'succeeded'],
  'payment.failed': ['failed', 'payment_failed'],
}

/** The names of what is told by one event. */
const NAMES = {
  'page.completed': 'checkout.session.completed',
  'page.expired': 'checkout.session.expired',
  'page.paid': 'checkout.session.async_payment_succeeded',
  'page.failed': 'checkout.session.async_payment_failed',
  'subscription.created': 'customer.subscription.created',
  'subscription.ended': 'customer.subscription.deleted',
  'subscription.trial_ending': 'customer.subscription.trial_will_end',
  'invoice.paid': 'invoice.paid',
  'invoice.failed': 'invoice.payment_failed',
  'dispute.opened': 'charge.dispute.created',
  'dispute.closed': 'charge.dispute.closed',
} as const

export const TELLING: Telling<StripeAccount, StripeEvent> = {
  eventsOf: (happening, context) =>
    made(happening, context).map(([type, object, before]) => event(context, type, object, before)),
  eventObject,
  headers: (body, { webhookSecret }) => ({
    'Content-Type': 'application/json; charset=utf-8',
    'Stripe-Signature': sign(body, webhookSecret),
    'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
  }),
  // Up to three days, exponentially, as in live mode; a sandbox tries three times only. The single times are not
  // published: UNVERIFIED.
  retrySeconds: [
    ...[5 * MINUTE_SECONDS, 30 * MINUTE_SECONDS],
    ...[2, 4, 8, 16, 24, 17].map((hours) => hours * HOUR_SECONDS),
  ],
}

type Made = [type: string, object: object, before?: object]

/** The types and objects of what happened, in the order in which Stripe tells; `before` is the object as it was. */
function made(happening: Happening, context: AccountContext): Made[] {
  switch (happening.what) {
    case 'subscription.updated':
      return updated(subscriptionObject(happening.subscription), subscriptionObject(happening.before))
    case 'refund.created': {
      const charge = chargeObject(happening.payment, context)
      const before = { amount_refunded: charge.amount_refunded - happening.refund.amount, refunded: false }
      return [
        ['refund.created', refundObject(happening.refund, context)],
        ['charge.refunded', charge, { ...charge, ...before }],
      ]
    }
    case 'refund.updated': {
      const refund = refundObject(happening.refund, context)
      const failed: Made[] = refund.status === 'failed' ? [['refund.failed', refund]] : []
      return [['refund.updated', refund], ...failed]
    }
  }
  if ('payment' in happening && !('dispute' in happening)) {
    const ends = ATTEMPTS[happening.what]
    if (!ends) return []
    const [charge, intent] = ends
    return [
      [`charge.${charge}`, chargeObject(happening.payment, context)],
      [`payment_intent.${intent}`, paymentIntentObject(happening.payment)],
    ]
  }
  return [[NAMES[happening.what], objectOf(happening, context)]]
}

type ToldByOne = Extract<Happening, { what: keyof typeof NAMES }>

function objectOf(happening: ToldByOne, context: AccountContext): object {
  if ('page' in happening) return checkoutSessionObject(happening.page, context)
  if ('subscription' in happening) return subscriptionObject(happening.subscription)
  if ('invoice' in happening) return invoiceObject(happening.invoice)
  return disputeObject(happening.dispute, context)
}

/** A pause and its end are events besides the change of the status. */
function updated(after: { status: string }, before: { status: string }): Made[] {
  const news: Made[] = [['customer.subscription.updated', after, before]]
  if (after.status === 'paused') news.push(['customer.subscription.paused', after])
  if (before.status === 'paused') news.push(['customer.subscription.resumed', after])
  return news
}

function event({ cause }: AccountContext, type: string, object: object, before?: object): NewEvent {
  const request = { id: cause?.requestId ?? null, idempotency_key: cause?.idempotencyKey ?? null }
  return { type, object, own: { previous: before ? previousAttributes(before, object) : null, request } }
}

type Fields = Record<string, unknown>

/** Stripe's `previous_attributes`: the old values of the fields that differ. Nested objects are compared likewise. */
function previousAttributes(before: object, after: object): Fields {
  const was: Fields = { ...before }
  const is: Fields = { ...after }
  const previous: Fields = {}
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (JSON.stringify(was[key]) === JSON.stringify(is[key])) continue
    const [old, now] = [was[key], is[key]]
    previous[key] = isFields(old) && isFields(now) ? previousAttributes(old, now) : (old ?? null)
  }
  return previous
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The signature is of the real time: the service looks at its own clock, too. */
function sign(body: string, secret: string): string {
  const at = Math.floor(Date.now() / 1000)
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
