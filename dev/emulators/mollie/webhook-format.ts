import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { ownFields } from '../core/domain/tables.ts'
import { MINUTE_SECONDS } from '../core/periods.ts'
import type { WebhookFormat } from '../core/processor.ts'
import { createEvents, sameNames, showSubject } from '../core/webhooks/create-events.ts'
import type { MollieAccount } from './accounts.ts'
import { resource } from './objects/wire.ts'
import { paymentOwn } from './own.ts'

/** An event in a webhook. `_embedded.entity` is the object in the API's format, as it was at the event. */
export type MollieEvent = ReturnType<typeof eventObject>

function eventObject(event: EventRecord, { url }: { url: string }) {
  const { _links, ...common } = resource('event', event, `${url}/v2/events/${event.id}`, {})
  const entity: { id: string } & Record<string, unknown> = { ...event.object, id: String(event.object.id) }
  return { ...common, type: event.type, entityId: entity.id, _embedded: { entity }, _links }
}

/**
 * A classic webhook goes to the `webhookUrl` of the payment or its subscription. It has only the payment's id, whether it was paid,
 * refunded or charged back (docs.mollie.com/reference/webhooks). A pending payment causes none.
 */
const classicNotice = (type: string, payment: PaymentRecord) =>
  type === 'payment.pending' ? {} : { webhookUrl: paymentOwn(payment).webhookUrl, payment: payment.id }

const classicOwn = ownFields({ webhookUrl: z.string().nullable().default(null), payment: z.string().default('') })

/** Mollie sends events for payments, refunds and chargebacks, and none for subscriptions. */
export const WEBHOOK_FORMAT: WebhookFormat<MollieAccount, MollieEvent> = {
  toEvents: createEvents(
    {
      ...sameNames('payment.pending', 'payment.paid', 'payment.failed', 'payment.canceled', 'payment.expired'),
      ...sameNames('refund.queued', 'refund.pending', 'refund.processing', 'refund.refunded', 'refund.failed'),
      'dispute.opened': ['chargeback.received'],
      'dispute.closed': ({ dispute }) => (dispute.status === 'won' ? ['chargeback.reversed'] : []),
    },
    (type, domainEvent, context) => ({
      type,
      object: showSubject(domainEvent, context),
      own: 'payment' in domainEvent ? classicNotice(type, domainEvent.payment) : {},
    }),
  ),
  eventObject,
  hasWebhook: ({ webhookSecret }) => webhookSecret !== undefined,
  toNotice({ own }) {
    const { webhookUrl, payment } = classicOwn({ own })
    if (webhookUrl === null) return null
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': 'Mollie HTTP client/1.0' }
    return { address: webhookUrl, headers, body: new URLSearchParams({ id: payment }).toString() }
  },
  headers: (body, { webhookSecret }) => ({
    'Content-Type': 'application/json; charset=utf-8',
    'X-Mollie-Signature': `sha256=${createHmac('sha256', webhookSecret ?? '')
      .update(body)
      .digest('hex')}`,
    'User-Agent': 'Mollie HTTP client/1.0',
  }),
  // Ten attempts in 26 hours are documented for classic webhooks. The same for next-gen webhooks is UNVERIFIED, and so are the
  // exact times.
  retrySeconds: [1, 2, 4, 8, 16, 29, 60, 120, 1320].map((minutes) => minutes * MINUTE_SECONDS),
}
