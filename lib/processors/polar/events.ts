import * as z from 'zod'
import { InvalidSignature, type ProcessorEvent, parseEvent, processorId, type WebhookRequest } from '../event.ts'
import type { PaymentFact, PurchaseReference } from '../processor.ts'
import { POLAR, readSignatures } from './definition.ts'
import { Checkout, Event, EventOrder, PolarRecord, Refund } from './objects.ts'
import { paidFact, readVersions, toFact } from './translate.ts'

const SUBSCRIPTION_EVENTS = POLAR.webhook.events.filter((type) => type.startsWith('subscription.'))
const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const PREFIX = 'whsec_'

/** The body of an event. JSON parsing is part of the schema, so that invalid JSON is reported as malformed. */
const Body = z.string().transform((text): unknown => JSON.parse(text))

/**
 * Verifies Polar's signature over the raw body, then parses the event. Payments are reported by orders and refunds; a subscription's own
 * events say nothing about them: `subscription.cycled` is sent even if the charge fails.
 *
 * @throws InvalidSignature, MalformedEvent
 */
export async function readPolarEvent(secret: string, request: WebhookRequest): Promise<ProcessorEvent> {
  await verify(secret, request)
  const id = parseEvent(processorId, request.headers.get('webhook-id'))
  const { type, timestamp, data } = parseEvent(Body.pipe(Event), request.rawBody)
  const result = (
    about: PurchaseReference | null,
    payment: PaymentFact | null = null,
    carried: PolarRecord | null = null,
  ) => ({ id, about, payment, trialEnding: false, versions: readVersions(carried ? [carried] : []) })

  if (SUBSCRIPTION_EVENTS.includes(type)) {
    const subscription = parseEvent(PolarRecord, data)
    return result({ kind: 'subscription', id: subscription.id }, null, subscription)
  }
  switch (type) {
    // The page's event is sent at each of the buyer's steps. Only the last one sells something.
    case 'checkout.updated': {
      const checkout = parseEvent(Checkout, data)
      return checkout.status === 'succeeded' ? result({ kind: 'page', id: checkout.id }, null, checkout) : result(null)
    }
    case 'order.created':
    case 'order.refunded': {
      const order = parseEvent(EventOrder, data)
      return result(toReference(order), null, readable(order))
    }
    case 'order.paid': {
      const order = parseEvent(EventOrder, data)
      return result(toReference(order), paidFact(order, timestamp), readable(order))
    }
    // An order whose charge has failed has the time of the retry. The final failure has none.
    case 'order.updated': {
      const order = parseEvent(EventOrder, data)
      const next = order.status === 'pending' ? order.next_payment_attempt_at : null
      if (!next) return result(toReference(order), null, readable(order))
      const attempt = { id: `${order.id}:${Math.floor(next.getTime() / 1000)}`, paymentId: order.id }
      const failed = toFact('failed', attempt, order.due_amount, order.currency, timestamp)
      return result(toReference(order), failed, readable(order))
    }
    case 'refund.created':
    case 'refund.updated': {
      const refund = parseEvent(Refund, data)
      const { subscription_id: subscription, order_id: order } = refund
      return result(toReference({ id: order, subscription_id: subscription }), toReversal(refund, timestamp))
    }
    default:
      // The owner chooses which events Polar sends. Other types are not about purchases.
      return result(null)
  }
}

/** An order of a subscription is part of that purchase; any other is a purchase of its own. */
function toReference({
  id,
  subscription_id: subscription,
}: Pick<EventOrder, 'id' | 'subscription_id'>): PurchaseReference {
  return subscription === null ? { kind: 'payment', id } : { kind: 'subscription', id: subscription }
}

/**
 * An order that a read of its purchase contains: that of a one-time purchase, or one of a subscription's latest. A refunded one may be
 * years old, and changes nothing of the subscription.
 */
const readable = (order: EventOrder): EventOrder | null =>
  order.subscription_id !== null && ['refunded', 'partially_refunded'].includes(order.status) ? null : order

/**
 * A refund's money fact. Polar sends no event for a dispute, but a refund that is meant to prevent one names it. If it came too late, the
 * refund fails, and the dispute continues.
 */
export function toReversal({ id, status, dispute, currency, ...refund }: z.output<typeof Refund>, at: Date) {
  const paymentId = refund.order_id
  if (status === 'failed') {
    return toFact('refund_failed', { id, paymentId }, refund.amount + refund.tax_amount, currency, at)
  }
  if (dispute !== null && !['prevented', 'early_warning', 'won'].includes(dispute.status)) {
    return toFact('disputed', { id: dispute.id, paymentId }, dispute.amount + dispute.tax_amount, currency, at)
  }
  if (status !== 'succeeded') return null
  return toFact('refunded', { id, paymentId }, refund.amount + refund.tax_amount, currency, at)
}

/**
 * One valid signature is enough. Polar signs with the decoded base64 after `whsec_`, as Standard Webhooks prescribes, or, if the secret is
 * from before September 2026, with the secret's own text; the secret does not show which.
 */
async function verify(secret: string, { headers, rawBody, now }: WebhookRequest): Promise<void> {
  if (POLAR.webhook.hasWellFormedSignature(headers, now)) {
    const text = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${rawBody}`
    const signed = new TextEncoder().encode(text)
    const keys = await Promise.all(
      signingKeys(secret).map((key) => crypto.subtle.importKey('raw', key, HMAC, false, ['verify'])),
    )
    const verified = readSignatures(headers).flatMap((each) =>
      keys.map((key) => crypto.subtle.verify('HMAC', key, toBytes(each), signed)),
    )
    if ((await Promise.all(verified)).includes(true)) return
  }
  throw new InvalidSignature('polar: invalid signature')
}

function signingKeys(secret: string) {
  const text = new TextEncoder().encode(secret)
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && encoded.length % 4 === 0
  return isBase64 ? [text, toBytes(encoded)] : [text]
}

const toBytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
