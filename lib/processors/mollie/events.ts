import * as z from 'zod'
import { isSignedWith } from '../../crypto/crypto.ts'
import { ForgedEvent, type Inbound, type PaymentFact, type ProcessorEvent } from '../event.ts'
import type { PurchaseReference } from '../processor.ts'
import type { MollieApi } from './api.ts'
import { Amount, Payment, Renewal } from './objects.ts'
import { findPayment } from './payments.ts'

const Event = z.object({
  id: z.string(),
  type: z.string(),
  entityId: z.string().nullish(),
  createdAt: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  _embedded: z.object({ entity: z.unknown().optional() }).nullish(),
})
type Event = z.output<typeof Event>

/** A refund or a chargeback. */
const Reversal = z.object({ id: z.string(), paymentId: z.string(), amount: Amount })

/**
 * Verifies Mollie's signature over the raw body, then says what the event is about. A webhook may be set up to bring no
 * more than ids: that does for a payment, which is then fetched, but not for a refund.
 */
export async function readMollieEvent(
  api: MollieApi,
  secret: string,
  { headers, rawBody }: Inbound,
): Promise<ProcessorEvent> {
  await verify(secret, headers.get('x-mollie-signature') ?? '', rawBody)
  const event = Event.parse(JSON.parse(rawBody))
  const told = (about: PurchaseReference | null, payment: PaymentFact | null = null) => ({
    id: event.id,
    about,
    payment,
    trialEnding: false,
  })

  switch (event.type) {
    case 'payment.paid':
    case 'payment.pending':
    case 'payment.authorized': {
      const payment = await paymentTold(api, event)
      const isPaid = event.type === 'payment.paid'
      return told(payment && saleOf(payment, 'session'), isPaid ? factOf('succeeded', payment, event) : null)
    }
    // What a bank had in hand may be stored by now.
    case 'payment.failed':
    case 'payment.canceled':
    case 'payment.expired': {
      const payment = await paymentTold(api, event)
      const isFailed = event.type === 'payment.failed'
      return told(payment && saleOf(payment, 'payment'), isFailed ? factOf('failed', payment, event) : null)
    }
    // The bank gave the money to the seller after all.
    case 'chargeback.reversed': {
      const { paymentId } = Reversal.parse(event._embedded?.entity)
      const payment = await findPayment(api, paymentId)
      return told(payment && saleOf(payment, 'session'))
    }
    case 'refund.refunded':
    case 'chargeback.received': {
      const reversal = Reversal.parse(event._embedded?.entity)
      const payment = await findPayment(api, reversal.paymentId)
      const kind = event.type === 'refund.refunded' ? 'refunded' : 'disputed'
      return told(payment && saleOf(payment, 'session'), factOf(kind, reversal, event))
    }
    default:
      // An account sends us whatever its webhook asks for: what is not about a purchase is none of our business.
      return told(null)
  }
}

/** While a secret is exchanged for another, Mollie signs with both. */
async function verify(secret: string, header: string, rawBody: string): Promise<void> {
  const signatures = header.split(',').map((each) => each.trim().replace(/^sha256=/, ''))
  const good = await Promise.all(signatures.map((signature) => isSignedWith(secret, rawBody, signature)))
  if (!good.includes(true)) throw new ForgedEvent('mollie: the signature does not hold')
}

/** Null if the account does not have it: an organisation's webhook tells of all its accounts. */
async function paymentTold(api: MollieApi, { entityId, _embedded }: Event): Promise<Payment | null> {
  return _embedded?.entity ? Payment.parse(_embedded.entity) : findPayment(api, z.string().parse(entityId))
}

/** A charge of a subscription is about the first payment that began it; any other payment is a sale of its own. */
function saleOf({ id, metadata }: Payment, kind: 'session' | 'payment'): PurchaseReference {
  const renewal = Renewal.safeParse(metadata)
  return renewal.success ? { kind: 'subscription', id: renewal.data.first_payment } : { kind, id }
}

function factOf(
  kind: PaymentFact['kind'],
  about: { id: string; amount: z.output<typeof Amount> } | null,
  { createdAt: occurredAt }: Event,
): PaymentFact | null {
  return about && about.amount.amount > 0 ? { kind, id: about.id, ...about.amount, occurredAt } : null
}
