import * as z from 'zod'
import { isSignedWith } from '../../crypto/crypto.ts'
import { InvalidSignature, type ProcessorEvent, parseEvent, processorId, type WebhookRequest } from '../event.ts'
import type { PurchaseReference } from '../processor.ts'
import { readSignatures } from './definition.ts'
import { Payment, Renewal } from './objects.ts'

const Event = z.object({
  id: processorId,
  type: z.string(),
  entityId: processorId.nullish(),
  createdAt: z.iso.datetime({ offset: true }),
  _embedded: z.object({ entity: z.unknown().optional() }).nullish(),
})
type Event = z.output<typeof Event>

/** The object of an event about a refund or a chargeback. */
const Reversal = z.object({ paymentId: processorId })

/** The object of an event about a payment. */
const EventPayment = Payment.extend({ id: processorId })

/** Fetches a payment by its id; null if the account does not have it. */
type FindPayment = (id: string) => Promise<Payment | null>

/** The body of an event. JSON parsing is part of the schema, so that invalid JSON is reported as malformed. */
const Body = z.string().transform((text): unknown => JSON.parse(text))

/**
 * Verifies Mollie's signature over the raw body, then returns the purchase of the event. The money facts are in the read that follows
 * (facts.ts). A webhook may be configured to contain only ids and no objects. That is enough for a payment, which is then fetched, but not
 * for a refund.
 */
export async function readMollieEvent(
  find: FindPayment,
  secret: string | null,
  { headers, rawBody }: WebhookRequest,
): Promise<ProcessorEvent> {
  await verify(secret, headers, rawBody)
  const event = parseEvent(Body.pipe(Event), rawBody)
  const result = (about: PurchaseReference | null) => ({ id: event.id, about, payment: null, trialEnding: false })

  switch (event.type) {
    case 'payment.paid':
    case 'payment.pending':
    case 'payment.authorized': {
      const payment = await findEventPayment(find, event)
      return result(payment && toReference(payment, 'page'))
    }
    // A pending payment may have been stored as a purchase, so it is looked up as one and not by its page.
    case 'payment.failed':
    case 'payment.canceled':
    case 'payment.expired': {
      const payment = await findEventPayment(find, event)
      return result(payment && toReference(payment, 'payment'))
    }
    // The seller has the money again, so the purchase may count as paid again: a refund counts from its request.
    case 'refund.refunded':
    case 'refund.failed':
    case 'refund.canceled':
    case 'chargeback.received':
    case 'chargeback.reversed': {
      const { paymentId } = parseEvent(Reversal, event._embedded?.entity)
      const payment = await find(paymentId)
      return result(payment && toReference(payment, 'page'))
    }
    default:
      // The owner chooses which events Mollie sends. Other types are not about purchases.
      return result(null)
  }
}

/** One valid signature is enough. An account without a secret has no signed webhook. */
async function verify(secret: string | null, headers: Headers, rawBody: string): Promise<void> {
  if (secret === null) throw new InvalidSignature('mollie: the account has no webhook secret')
  const verified = await Promise.all(readSignatures(headers).map((each) => isSignedWith(secret, rawBody, each)))
  if (!verified.includes(true)) throw new InvalidSignature('mollie: invalid signature')
}

/** The payment of an event; null if this account does not have it, since a webhook may cover all accounts of an organisation. */
async function findEventPayment(find: FindPayment, { entityId, _embedded }: Event): Promise<Payment | null> {
  if (_embedded?.entity) return parseEvent(EventPayment, _embedded.entity)
  return find(parseEvent(processorId, entityId))
}

/**
 * A renewal belongs to the purchase of its subscription's first payment; any other payment is a purchase of its own.
 */
function toReference({ id, metadata }: Payment, kind: 'page' | 'payment'): PurchaseReference {
  const renewal = Renewal.safeParse(metadata)
  return renewal.success ? { kind: 'subscription', id: renewal.data.first_payment } : { kind, id }
}
