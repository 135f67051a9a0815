import { createHmac } from 'node:crypto'
import type { AccountContext } from '../core/domain/context.ts'
import { latestInvoice } from '../core/domain/invoices.ts'
import type { PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { type Sale, saleOfInvoice, saleOfPayment } from '../core/domain/sales.ts'
import type { PageRecord, SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { Telling } from '../core/processor.ts'
import { type Made, tellingOf } from '../core/webhooks/telling.ts'
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
  // Polar tells of no dispute.
  eventsOf: tellingOf({
    'page.expired': ({ page }, context) => [['checkout.expired', checkoutObject(page, context)]],
    'page.completed': ofPage,
    'page.paid': ofPage,
    'page.failed': ofPage,
    'payment.paid': ({ payment }, context) => ofOrder(context, saleOfPayment(payment), 'created', 'paid'),
    'subscription.created': ({ subscription }, context) => begun(subscription, context),
    'subscription.updated': ({ subscription, before }, context) => updated(subscription, before, context),
    'subscription.ended': ({ subscription }, context) => {
      const object = subscriptionObject(subscription, context)
      const news = subscription.cancelAtPeriodEnd ? [] : ['canceled']
      return ['updated', ...news, 'revoked'].map((type) => [`subscription.${type}`, object])
    },
    'invoice.paid': ({ invoice }, context) => ofOrder(context, saleOfInvoice(context, invoice), 'updated', 'paid'),
    'invoice.failed': ({ invoice }, context) => ofOrder(context, saleOfInvoice(context, invoice), 'updated'),
    'refund.created': ofRefund,
    'refund.updated': ofRefund,
  }),
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

function ofPage({ page }: { page: PageRecord }, context: AccountContext): Made[] {
  return [['checkout.updated', checkoutObject(page, context)]]
}

function ofOrder(context: AccountContext, order: Sale | null, ...types: string[]): Made[] {
  return order ? types.map((type) => [`order.${type}`, orderObject(order, context)]) : []
}

type Refunded = { what: string; refund: RefundRecord; payment: PaymentRecord }

function ofRefund({ what, refund, payment }: Refunded, context: AccountContext): Made[] {
  const news = refund.status === 'refunded' ? ['updated', 'refunded'] : []
  return [[what, refundObject(refund, context)], ...ofOrder(context, orderOf(context, payment), ...news)]
}

function begun(subscription: SubscriptionRecord, context: AccountContext): Made[] {
  const object = subscriptionObject(subscription, context)
  const active = subscription.status === 'incomplete' ? [] : ['active']
  const news = ['created', ...active, 'updated'].map((type): Made => [`subscription.${type}`, object])
  return [...news, ...orderCreated(subscription, context)]
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
  return isNew ? [...changes, ...orderCreated(now, context)] : changes
}

const orderCreated = (subscription: SubscriptionRecord, context: AccountContext) =>
  ofOrder(context, saleOfInvoice(context, latestInvoice(context, subscription)), 'created')

function statusNews(status: SubscriptionRecord['status'], before: SubscriptionRecord['status']): string[] {
  if (before === 'paused') return ['resumed']
  if (status === 'past_due' || status === 'paused') return [status]
  if (status === 'unpaid' || status === 'incomplete_expired') return ['revoked']
  // A trial is active, too.
  return status === 'active' && before !== 'trialing' ? ['active'] : []
}
