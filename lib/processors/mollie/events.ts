import * as z from 'zod'
import { isSignedWith } from '../../crypto.ts'
import { ForgedEvent, type PaymentFact, type ProcessorEvent, type PurchaseReference } from '../processor.ts'
import type { MollieApi } from './api.ts'
import { Amount, Payment } from './objects.ts'
import { fetchPayment } from './payments.ts'

const Event = z.object({
  id: z.string(),
  type: z.string(),
  entityId: z.string().nullish(),
  createdAt: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  _embedded: z.object({ entity: z.unknown() }).nullish(),
})

/** A refund or a chargeback. */
const Reversal = z.object({ id: z.string(), paymentId: z.string(), amount: Amount })

/**
 * Verifies Mollie's signature over the raw body, then says what the event is about. A webhook may be set up to bring no
 * more than ids: that does for a payment, which is then fetched, but not for a refund.
 */
export async function readMollieEvent(
  api: MollieApi,
  secret: string,
  headers: Headers,
  rawBody: string,
): Promise<ProcessorEvent> {
  const signature = (headers.get('x-mollie-signature') ?? '').replace(/^sha256=/, '')
  if (!(await isSignedWith(secret, rawBody, signature))) throw new ForgedEvent('mollie: the signature does not hold')

  const event = Event.parse(JSON.parse(rawBody))
  const told = (about: PurchaseReference | null, payment: PaymentFact | null = null) => ({
    id: event.id,
    about,
    payment,
    trialEnding: false,
  })
  const fact = (kind: PaymentFact['kind'], { id, amount }: { id: string; amount: z.output<typeof Amount> }) =>
    amount.amount > 0 ? { kind, id, ...amount, occurredAt: event.createdAt } : null

  switch (event.type) {
    case 'payment.paid':
    case 'payment.failed':
    case 'payment.pending':
    case 'payment.authorized':
    case 'payment.canceled':
    case 'payment.expired': {
      const payment = await paymentTold(api, event)
      if (event.type === 'payment.paid') return told(purchaseOf(payment), fact('succeeded', payment))
      return told(purchaseOf(payment), event.type === 'payment.failed' ? fact('failed', payment) : null)
    }
    case 'refund.refunded':
    case 'chargeback.received': {
      const reversal = Reversal.parse(event._embedded?.entity)
      const kind = event.type === 'refund.refunded' ? 'refunded' : 'disputed'
      return told(purchaseOf(await fetchPayment(api, reversal.paymentId)), fact(kind, reversal))
    }
    default:
      // An account sends us whatever its webhook asks for: what is not about a purchase is none of our business.
      return told(null)
  }
}

async function paymentTold(api: MollieApi, { entityId, _embedded }: z.output<typeof Event>): Promise<Payment> {
  return _embedded?.entity ? Payment.parse(_embedded.entity) : fetchPayment(api, z.string().parse(entityId))
}

/** The subscription that a payment was charged for; without one it was a buyer's, on a page. */
function purchaseOf({ id, subscriptionId, customerId }: Payment): PurchaseReference {
  return subscriptionId
    ? { kind: 'subscription', id: subscriptionId, customer: customerId ?? null }
    : { kind: 'session', id }
}
