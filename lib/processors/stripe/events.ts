import Stripe from 'stripe'
import type * as z from 'zod'
import {
  ForgedEvent,
  type Inbound,
  MalformedEvent,
  type PaymentFact,
  type ProcessorEvent,
  parseEvent,
} from '../event.ts'
import type { PurchaseReference } from '../processor.ts'
import { fromStripe, TOLERANCE_SECONDS } from './definition.ts'
import { Event, InvoiceOfEvent, Reversal, SessionOfEvent, SubscriptionOfEvent } from './objects.ts'
import { subscriptionOf } from './translate.ts'

/** The purchase that a payment intent paid for: a refund or a dispute names only that. */
type FindPurchase = (paymentIntent: string | null) => Promise<PurchaseReference | null>

/** A refund that is neither there nor failed. One may fail days after it had succeeded. */
const UNDER_WAY: readonly unknown[] = ['pending', 'requires_action']

/**
 * Verifies Stripe's signature over the raw body, then says what the event is about. An event about a refund or a
 * dispute does not name the purchase, so that is asked for.
 */
export async function readStripeEvent(
  api: Stripe,
  findPurchase: FindPurchase,
  secret: string,
  inbound: Inbound,
): Promise<ProcessorEvent> {
  const event = parseEvent(Event, await verified(api, secret, inbound))
  const { object } = event.data
  const at = new Date(event.created * 1000)
  const result = (about: PurchaseReference | null, payment: PaymentFact | null = null, trialEnding = false) => ({
    id: event.id,
    about,
    payment,
    trialEnding,
  })

  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const session = parseEvent(SessionOfEvent, object)
      const fact = session.payment_status === 'paid' ? oneTimePayment(session, 'succeeded', at) : null
      return result({ kind: 'page', id: session.id }, fact)
    }
    case 'checkout.session.async_payment_failed': {
      const session = parseEvent(SessionOfEvent, object)
      return result({ kind: 'page', id: session.id }, oneTimePayment(session, 'failed', at))
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.deleted':
      return result({ kind: 'subscription', id: parseEvent(SubscriptionOfEvent, object).id })
    case 'customer.subscription.trial_will_end':
      return result({ kind: 'subscription', id: parseEvent(SubscriptionOfEvent, object).id }, null, true)
    case 'invoice.paid': {
      const invoice = parseEvent(InvoiceOfEvent, object)
      const fact = {
        kind: 'succeeded',
        id: invoice.id,
        ...moneyOf(invoice, invoice.amount_paid),
        occurredAt: at,
      } as const
      return result(subscriptionOf(invoice), invoice.amount_paid > 0 ? fact : null)
    }
    case 'invoice.payment_failed': {
      const invoice = parseEvent(InvoiceOfEvent, object)
      const fact = { kind: 'failed', id: `${invoice.id}:${invoice.attempt_count}`, occurredAt: at } as const
      return result(subscriptionOf(invoice), { ...fact, ...moneyOf(invoice, invoice.amount_due) })
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed': {
      const refund = parseEvent(Reversal, object)
      if (UNDER_WAY.includes(refund.status)) return result(null)
      const fact = { kind: 'refunded', id: refund.id, ...moneyOf(refund, refund.amount), occurredAt: at } as const
      return result(await findPurchase(refund.payment_intent), refund.status === 'succeeded' ? fact : null)
    }
    case 'charge.dispute.created': {
      const dispute = parseEvent(Reversal, object)
      const fact = { kind: 'disputed', id: dispute.id, ...moneyOf(dispute, dispute.amount), occurredAt: at } as const
      return result(await findPurchase(dispute.payment_intent), fact)
    }
    default:
      // The owner chooses which events Stripe sends. Those of other types are not about purchases.
      return result(null)
  }
}

async function verified(api: Stripe, secret: string, { headers, rawBody, now }: Inbound): Promise<unknown> {
  try {
    const signature = headers.get('stripe-signature') ?? ''
    const provider = Stripe.createSubtleCryptoProvider()
    return await api.webhooks.constructEventAsync(
      rawBody,
      signature,
      secret,
      TOLERANCE_SECONDS,
      provider,
      now.getTime(),
    )
  } catch (cause) {
    // The signature is looked at first. What else the SDK throws is about what was signed: no JSON, or a thin event.
    if (!(cause instanceof Stripe.errors.StripeSignatureVerificationError)) {
      throw new MalformedEvent('stripe: what is signed is not an event', { cause })
    }
    throw new ForgedEvent('stripe: the signature does not hold', { cause })
  }
}

const moneyOf = ({ currency }: { currency: string }, amount: number) => ({
  amount: fromStripe(amount, currency),
  currency,
})

/** The payment of a one-time purchase. A subscription's page has none here: its invoice has an event of its own. */
function oneTimePayment(
  session: z.output<typeof SessionOfEvent>,
  kind: 'succeeded' | 'failed',
  occurredAt: Date,
): PaymentFact | null {
  if (session.mode !== 'payment' || !session.amount_total || !session.currency) return null
  return {
    kind,
    id: session.payment_intent ?? session.id,
    amount: fromStripe(session.amount_total, session.currency),
    currency: session.currency,
    occurredAt,
  }
}
