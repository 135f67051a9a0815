import Stripe from 'stripe'
import * as z from 'zod'
import {
  ForgedEvent,
  type Inbound,
  MalformedEvent,
  type PaymentFact,
  type ProcessorEvent,
  parseEvent,
  processorId,
} from '../event.ts'
import type { PurchaseReference } from '../processor.ts'
import { fromStripe } from './currencies.ts'
import { asProcessorError } from './errors.ts'

/** How old a signature may be, in seconds: what Stripe recommends. */
const TOLERANCE_SECONDS = 300

/** Of a signature header: the time of signing, in seconds, and an HMAC-SHA-256 of the scheme in use. */
const SIGNED_AT = /(?:^|,)t=(\d{1,12})(?:,|$)/
const SIGNATURE = /(?:^|,)v1=[0-9a-f]{64}(?:,|$)/

/** Whether Stripe could have signed like this: `Stripe-Signature` has its form, and is not too old. */
export function isStripeSignature(headers: Headers, now: Date): boolean {
  const header = headers.get('stripe-signature') ?? ''
  const signedAt = SIGNED_AT.exec(header)?.[1]
  if (signedAt === undefined || !SIGNATURE.test(header)) return false
  return Math.floor(now.getTime() / 1000) - Number(signedAt) <= TOLERANCE_SECONDS
}

/** Seconds since 1970, up to the end of the year 9999. */
const seconds = z.int().min(0).max(253_402_300_799)
const amount = z.int().min(0)

const Event = z.object({
  id: processorId,
  type: z.string(),
  created: seconds,
  data: z.object({ object: z.unknown() }),
})

const currency = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .toUpperCase()
const Subscription = z.object({ id: processorId })
const CheckoutSession = z.object({
  id: processorId,
  mode: z.string(),
  payment_status: z.string(),
  payment_intent: processorId.nullable(),
  amount_total: amount.nullable(),
  currency: currency.nullable(),
})
const Invoice = z.object({
  id: processorId,
  currency,
  amount_paid: amount,
  amount_due: amount,
  attempt_count: z.int(),
  parent: z.object({ subscription_details: z.object({ subscription: processorId }).nullable() }).nullable(),
})
const Reversal = z.object({
  id: processorId,
  amount,
  currency,
  status: z.string().nullable(),
  payment_intent: processorId.nullable(),
})
const InvoicePayments = z.object({ data: z.array(z.object({ invoice: Invoice })) })

/**
 * Verifies Stripe's signature over the raw body, then says what the event is about. An event about a refund or a
 * dispute does not name the purchase, so that is asked for.
 */
export async function readStripeEvent(api: Stripe, secret: string, inbound: Inbound): Promise<ProcessorEvent> {
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
      const session = parseEvent(CheckoutSession, object)
      const fact = session.payment_status === 'paid' ? oneTimePayment(session, 'succeeded', at) : null
      return result({ kind: 'page', id: session.id }, fact)
    }
    case 'checkout.session.async_payment_failed': {
      const session = parseEvent(CheckoutSession, object)
      return result({ kind: 'page', id: session.id }, oneTimePayment(session, 'failed', at))
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.deleted':
      return result({ kind: 'subscription', id: parseEvent(Subscription, object).id })
    case 'customer.subscription.trial_will_end':
      return result({ kind: 'subscription', id: parseEvent(Subscription, object).id }, null, true)
    case 'invoice.paid': {
      const invoice = parseEvent(Invoice, object)
      const fact = {
        kind: 'succeeded',
        id: invoice.id,
        ...moneyOf(invoice, invoice.amount_paid),
        occurredAt: at,
      } as const
      return result(subscriptionOf(invoice), invoice.amount_paid > 0 ? fact : null)
    }
    case 'invoice.payment_failed': {
      const invoice = parseEvent(Invoice, object)
      const fact = { kind: 'failed', id: `${invoice.id}:${invoice.attempt_count}`, occurredAt: at } as const
      return result(subscriptionOf(invoice), { ...fact, ...moneyOf(invoice, invoice.amount_due) })
    }
    case 'refund.created':
    case 'refund.updated': {
      const refund = parseEvent(Reversal, object)
      if (refund.status !== 'succeeded') return result(null)
      const fact = { kind: 'refunded', id: refund.id, ...moneyOf(refund, refund.amount), occurredAt: at } as const
      return result(await purchaseOf(api, refund.payment_intent), fact)
    }
    case 'charge.dispute.created': {
      const dispute = parseEvent(Reversal, object)
      const fact = { kind: 'disputed', id: dispute.id, ...moneyOf(dispute, dispute.amount), occurredAt: at } as const
      return result(await purchaseOf(api, dispute.payment_intent), fact)
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
  session: z.output<typeof CheckoutSession>,
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

function subscriptionOf(invoice: z.output<typeof Invoice>): PurchaseReference | null {
  const id = invoice.parent?.subscription_details?.subscription
  return id ? { kind: 'subscription', id } : null
}

/** A refund or dispute names only its payment. If that paid an invoice, the invoice names the subscription. */
async function purchaseOf(api: Stripe, paymentIntent: string | null): Promise<PurchaseReference | null> {
  if (!paymentIntent) return null
  try {
    const reply = await api.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: paymentIntent },
      expand: ['data.invoice'],
    })
    const [paid] = InvoicePayments.parse(reply).data
    return paid ? subscriptionOf(paid.invoice) : { kind: 'payment', id: paymentIntent }
  } catch (error) {
    throw asProcessorError(error)
  }
}
