import { createHmac } from 'node:crypto'
import type { EventRecord } from '../core/domain/records.ts'
import { MINUTE_SECONDS } from '../core/periods.ts'
import type { Telling } from '../core/processor.ts'
import { byTheirNames, tellingOf } from '../core/webhooks/telling.ts'
import type { MollieAccount } from './accounts.ts'
import { resource } from './objects/wire.ts'

/** An event, as a webhook brings it. `_embedded.entity` is the object, in the API's shape, as it was at the event. */
export type MollieEvent = ReturnType<typeof eventObject>

function eventObject(event: EventRecord, { url }: { url: string }) {
  const { _links, ...common } = resource('event', event, `${url}/v2/events/${event.id}`, {})
  const entity: { id: string } & Record<string, unknown> = { ...event.object, id: String(event.object.id) }
  return { ...common, type: event.type, entityId: entity.id, _embedded: { entity }, _links }
}

/** Mollie tells of payments, refunds and chargebacks, and nothing of a subscription. */
export const TELLING: Telling<MollieAccount, MollieEvent> = {
  eventsOf: tellingOf({
    ...byTheirNames('payment.pending', 'payment.paid', 'payment.failed', 'payment.canceled', 'payment.expired'),
    ...byTheirNames('refund.queued', 'refund.pending', 'refund.processing', 'refund.refunded', 'refund.failed'),
    'dispute.opened': ['chargeback.received'],
    'dispute.closed': ({ dispute }) => (dispute.status === 'won' ? ['chargeback.reversed'] : []),
  }),
  eventObject,
  headers: (body, { webhookSecret }) => ({
    'Content-Type': 'application/json; charset=utf-8',
    'X-Mollie-Signature': `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
    'User-Agent': 'Mollie HTTP client/1.0',
  }),
  // Ten tries in 26 hours are documented for classic webhooks. That next-gen ones are tried alike is UNVERIFIED, and so
  // are the single times.
  retrySeconds: [1, 2, 4, 8, 16, 29, 60, 120, 1320].map((minutes) => minutes * MINUTE_SECONDS),
}
