import { createHmac } from 'node:crypto'
import type { AccountContext } from '../core/domain/context.ts'
import type { Happening, NewEvent } from '../core/domain/happenings.ts'
import { latestInvoice } from '../core/domain/invoices.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { type Sale, saleOfInvoice, saleOfPayment } from '../core/domain/sales.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { Telling } from '../core/processor.ts'
import type { PolarAccount } from './accounts.ts'
import { checkoutObject } from './objects/checkout.ts'
import { orderObject, refundObject } from './objects/order.ts'
import { subscriptionObject } from './objects/subscription.ts'
import { timeText } from './objects/wire.ts'
import { orderOf } from './orders.ts'
import { API_VERSION } from './rules.ts'

/** An event as it is sent. Its id is in a header only, so `id` is no part of its JSON. */
export interface PolarEvent {
  readonly id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
}

export const TELLING: Telling<PolarAccount, PolarEvent> = {
  eventsOf: (happening, context) => made(happening, context).map(([type, object]): NewEvent => ({ type, object })),
  eventObject,
  headers(body, { webhookSecret }, { id }) {
    const at = Math.floor(Date.now() / 1000)
    return {
      'content-type': 'application/json',
      'user-agent': 'polar.sh webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': `v1,${createHmac('sha256', keyOf(webhookSecret)).update(`${id}.${at}.${body}`).digest('base64')}`,
      'webhook-api-version': API_VERSION,
    }
  },
  // Ten attempts, the pauses doubling from 4 seconds, 20 minutes at most, as in Polar's source; its jitter is left out.
  retrySeconds: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => Math.min(2 * 2 ** attempt, 20 * 60)),
}

function eventObject({ id, type, object, created }: EventRecord): PolarEvent {
  const event = { type, timestamp: timeText(created), data: object }
  return Object.defineProperty(event as PolarEvent, 'id', { value: id })
}

/**
 * A secret that Polar has made since September 2026 signs as Standard Webhooks say, with the bytes that stand behind
 * `whsec_`. Any older one signs with its own text.
 */
export function keyOf(secret: string): Buffer {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(secret) ?? []
  return encoded === '' ? Buffer.from(secret) : Buffer.from(encoded, 'base64')
}

type Made = [type: string, object: object]

/** The types and objects of what happened, in the order in which Polar tells. */
function made(happening: Happening, context: AccountContext): Made[] {
  const ofOrder = (order: Sale | null, ...types: string[]): Made[] =>
    order ? types.map((type) => [`order.${type}`, orderObject(order, context)]) : []
  switch (happening.what) {
    case 'page.expired':
      return [['checkout.expired', checkoutObject(happening.page, context)]]
    case 'page.completed':
    case 'page.paid':
    case 'page.failed':
      return [['checkout.updated', checkoutObject(happening.page, context)]]
    case 'payment.paid':
      return ofOrder(saleOfPayment(happening.payment), 'created', 'paid')
    case 'subscription.created':
      return begun(happening.subscription, context)
    case 'subscription.updated':
      return updated(happening.subscription, happening.before, context)
    case 'subscription.ended': {
      const object = subscriptionObject(happening.subscription, context)
      const news = happening.subscription.cancelAtPeriodEnd ? [] : ['canceled']
      return ['updated', ...news, 'revoked'].map((type) => [`subscription.${type}`, object])
    }
    case 'invoice.paid':
      return ofOrder(saleOfInvoice(context, happening.invoice), 'updated', 'paid')
    case 'invoice.failed':
      return ofOrder(saleOfInvoice(context, happening.invoice), 'updated')
    case 'refund.created':
    case 'refund.updated': {
      const { refund, payment } = happening
      const news = refund.status === 'refunded' ? ['updated', 'refunded'] : []
      return [[happening.what, refundObject(refund, context)], ...ofOrder(orderOf(context, payment), ...news)]
    }
    // Polar tells of no dispute.
    default:
      return []
  }
}

function begun(subscription: SubscriptionRecord, context: AccountContext): Made[] {
  const object = subscriptionObject(subscription, context)
  const active = subscription.status === 'incomplete' ? [] : ['active']
  const news = ['created', ...active, 'updated'].map((type): Made => [`subscription.${type}`, object])
  return [...news, orderCreated(subscription, context)]
}

/** Every change is an update; what it means is told besides. The order of a new period is told before it is charged. */
function updated(now: SubscriptionRecord, before: SubscriptionRecord, context: AccountContext): Made[] {
  const object = subscriptionObject(now, context)
  const news: string[] = ['updated']
  if (now.periodStart > before.periodStart) news.push('cycled')
  if (now.cancelAtPeriodEnd !== before.cancelAtPeriodEnd) news.push(now.cancelAtPeriodEnd ? 'canceled' : 'uncanceled')
  if (now.status !== before.status) news.push(...statusNews(now.status, before.status))
  const changes = news.map((type): Made => [`subscription.${type}`, object])
  const isNew = now.latestInvoice !== before.latestInvoice
  return isNew ? [...changes, orderCreated(now, context)] : changes
}

const orderCreated = (subscription: SubscriptionRecord, context: AccountContext): Made => [
  'order.created',
  orderObject(saleOfInvoice(context, latestInvoice(context, subscription)), context),
]

function statusNews(status: SubscriptionRecord['status'], before: SubscriptionRecord['status']): string[] {
  if (before === 'paused') return ['resumed']
  if (status === 'past_due' || status === 'paused') return [status]
  if (status === 'unpaid' || status === 'incomplete_expired') return ['revoked']
  // A trial is active, too.
  return status === 'active' && before !== 'trialing' ? ['active'] : []
}
