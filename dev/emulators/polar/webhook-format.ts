import { createHmac } from 'node:crypto'
import { type AccountContext, newestFirst } from '../core/domain/context.ts'
import { latestInvoice } from '../core/domain/invoices.ts'
import type { InvoiceRecord } from '../core/domain/money-records.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { invoiceSale, paymentSale, type Sale } from '../core/domain/sales.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { WebhookFormat } from '../core/processor.ts'
import { createEvents, type Made, sameNames } from '../core/webhooks/create-events.ts'
import type { PolarAccount } from './accounts.ts'
import { orderObject } from './objects/order.ts'
import { timeText } from './objects/wire.ts'
import { findOrderByPayment } from './orders.ts'
import { API_VERSION } from './rules.ts'

export type PolarEvent = ReturnType<typeof eventObject>

export const WEBHOOK_FORMAT: WebhookFormat<PolarAccount, PolarEvent> = {
  // Polar sends no event for disputes.
  toEvents: createEvents({
    'page.expired': ['checkout.expired'],
    'page.completed': ['checkout.updated'],
    'page.paid': ['checkout.updated'],
    'page.failed': ['checkout.updated'],
    'payment.paid': ({ payment }, context) => orderEvents(context, paymentSale(context, payment), 'created', 'paid'),
    'subscription.created': ({ subscription }, context) => [
      'subscription.created',
      ...(subscription.status === 'incomplete' ? [] : ['subscription.active']),
      'subscription.updated',
      ...orderCreated(subscription, context),
    ],
    // Every change is an update; the specific events follow.
    ...sameNames('subscription.updated', 'subscription.paused', 'subscription.resumed', 'subscription.past_due'),
    // The order of a new period is created when it is charged.
    'subscription.trial_over': ['subscription.cycled'],
    'subscription.renewed': ['subscription.cycled'],
    'subscription.cancelled': ['subscription.canceled'],
    'subscription.uncancelled': ['subscription.uncanceled'],
    'subscription.activated': ['subscription.active'],
    'subscription.unpaid': ['subscription.revoked'],
    'subscription.expired': ['subscription.revoked'],
    'subscription.ended': ({ subscription }, context) => [
      'subscription.updated',
      ...(subscription.cancelAtPeriodEnd ? [] : ['subscription.canceled']),
      'subscription.revoked',
      ...ordersVoided(subscription, context),
    ],
    'invoice.created': ({ invoice }, context) => orderEvents(context, invoiceSale(context, invoice), 'created'),
    'invoice.paid': ({ invoice }, context) => orderCharged(invoice, context, 'updated', 'paid'),
    'invoice.failed': ({ invoice }, context) => orderCharged(invoice, context, 'updated'),
    'refund.created': ['refund.created'],
    'refund.updated': ({ payment }, context) => {
      // A failed refund changes its order, of which Polar sends no event: showing the order sets `modified_at`.
      orderObject(findOrderByPayment(context, payment), context)
      return ['refund.updated']
    },
    'refund.refunded': ({ payment }, context) =>
      orderEvents(context, findOrderByPayment(context, payment), 'updated', 'refunded'),
  }),
  eventObject,
  headers(body, { webhookSecret }, { id }) {
    const at = Math.floor(Date.now() / 1000)
    return {
      'content-type': 'application/json',
      'user-agent': 'polar.sh webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': `v1,${createHmac('sha256', signingKey(webhookSecret)).update(`${id}.${at}.${body}`).digest('base64')}`,
      'webhook-api-version': API_VERSION,
    }
  },
  // Ten attempts with intervals doubling from 4 seconds up to 20 minutes, as in Polar's source, without its jitter.
  retrySeconds: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => Math.min(2 * 2 ** attempt, 20 * 60)),
  // `on_event_failed` in server/polar/webhook/service.py, with WEBHOOK_FAILURE_THRESHOLD of server/polar/config.py.
  failuresToDisable: 10,
}

/** An event as it is sent. Its id is only in a header, so `id` is not enumerable. */
function eventObject({ id, type, object, created }: EventRecord) {
  const event = { type, timestamp: timeText(created), data: object }
  return Object.defineProperty(event, 'id', { value: id }) as typeof event & { readonly id: string }
}

/**
 * Polar's secrets since September 2026 follow Standard Webhooks: the key is the decoded bytes after `whsec_`. The key of an older
 * secret is its text.
 */
function signingKey(secret: string): Buffer {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(secret) ?? []
  return encoded === '' ? Buffer.from(secret) : Buffer.from(encoded, 'base64')
}

function orderEvents(context: AccountContext, order: Sale | null, ...types: string[]): Made[] {
  return order ? types.map((type) => [`order.${type}`, orderObject(order, context)]) : []
}

/** The first charge of a period creates its order. */
function orderCharged(invoice: InvoiceRecord, context: AccountContext, ...types: string[]): Made[] {
  const isNew = invoice.reason === 'cycle' && invoice.attempts === 1
  return orderEvents(context, invoiceSale(context, invoice), ...(isNew ? ['created'] : []), ...types)
}

function ordersVoided(subscription: SubscriptionRecord, context: AccountContext): Made[] {
  const voided = newestFirst(context, 'invoices', { subscription: subscription.id, status: 'void' }).reverse()
  return voided.flatMap((invoice) => orderEvents(context, invoiceSale(context, invoice), 'updated'))
}

function orderCreated(subscription: SubscriptionRecord, context: AccountContext): Made[] {
  return orderEvents(context, invoiceSale(context, latestInvoice(context, subscription)), 'created')
}
