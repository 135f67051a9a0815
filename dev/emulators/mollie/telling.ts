import { createHmac } from 'node:crypto'
import type { AccountContext } from '../core/domain/context.ts'
import type { Happening, NewEvent } from '../core/domain/happenings.ts'
import type { EventRecord } from '../core/domain/records.ts'
import type { Telling } from '../core/processor.ts'
import type { MollieAccount } from './accounts.ts'
import { chargebackObject, paymentObject, refundObject } from './objects/payment.ts'
import { resource } from './objects/wire.ts'

const MINUTE_SECONDS = 60

/** An event, as a webhook brings it. `_embedded.entity` is the object, in the API's shape, as it was at the event. */
export type MollieEvent = ReturnType<typeof eventObject>

function eventObject(event: EventRecord, { url }: { url: string }) {
  const { _links, ...common } = resource('event', event, `${url}/v2/events/${event.id}`, {})
  const entity: { id: string } & Record<string, unknown> = { ...event.object, id: String(event.object.id) }
  return { ...common, type: event.type, entityId: entity.id, _embedded: { entity }, _links }
}

/** Mollie tells of payments, refunds and chargebacks, and nothing of a subscription. */
export const TELLING: Telling<MollieAccount, MollieEvent> = {
  eventsOf: (happening, context) => made(happening, context).map(([type, object]): NewEvent => ({ type, object })),
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

function made(happening: Happening, context: AccountContext): [type: string, object: object][] {
  switch (happening.what) {
    case 'payment.pending':
    case 'payment.paid':
    case 'payment.failed':
    case 'payment.canceled':
    case 'payment.expired':
      return [[happening.what, paymentObject(happening.payment, context)]]
    case 'refund.created':
    case 'refund.updated':
      return [[`refund.${happening.refund.status}`, refundObject(happening.refund, context)]]
    case 'dispute.opened':
      return [['chargeback.received', chargebackObject(happening.dispute, context)]]
    case 'dispute.closed':
      if (happening.dispute.status !== 'won') return []
      return [['chargeback.reversed', chargebackObject(happening.dispute, context)]]
    default:
      return []
  }
}
