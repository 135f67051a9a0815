import Stripe from 'stripe'
import type * as z from 'zod'
import { InvalidSignature, MalformedEvent, type ProcessorEvent, parseEvent, type WebhookRequest } from '../event.ts'
import type { PaymentFact, PurchaseReference } from '../processor.ts'
import { includedDiscount, includedTax } from '../taxes.ts'
import { fromStripe, TOLERANCE_SECONDS } from './definition.ts'
import { Event, EventInvoice, EventSchedule, EventSession, EventSubscription, EventTrial, Reversal } from './objects.ts'
import { DISPUTE_DECISIONS, subscriptionReference } from './translate.ts'

/** The purchase of a payment intent, and the id for its facts; both null if it is none. */
export interface PaidPurchase {
  about: PurchaseReference | null
  paymentId: string | null
}

/** A refund or a dispute names only the payment intent. */
type FindPurchase = (paymentIntent: string | null) => Promise<PaidPurchase>

/** Statuses of a refund in progress. */
const UNDER_WAY: readonly unknown[] = ['pending', 'requires_action']

/** The final statuses of a refund. It may fail days after it had succeeded. */
const REFUNDS: Readonly<Record<string, PaymentFact['kind']>> = {
  succeeded: 'refunded',
  failed: 'refund_failed',
  canceled: 'refund_failed',
}

/** What a refund has moved, as its webhook reports it, too; null while it is in progress. */
export function refundFact(
  { id, status, ...money }: { id: string; status: string | null; amount: number; currency: string },
  paymentId: string,
  occurredAt: Date,
): PaymentFact | null {
  const kind = REFUNDS[status ?? '']
  return kind === undefined ? null : { kind, id, paymentId, ...toMoney(money, money.amount), occurredAt }
}

export const hasFailed = (status: string | null) => REFUNDS[status ?? ''] === 'refund_failed'

/**
 * Verifies Stripe's signature over the raw body, then parses the event. An event about a refund or a dispute does not name the purchase, so
 * that is looked up.
 */
export async function readStripeEvent(
  api: Stripe,
  findPurchase: FindPurchase,
  secret: string,
  request: WebhookRequest,
): Promise<ProcessorEvent> {
  const event = parseEvent(Event, await verified(api, secret, request))
  const { object } = event.data
  const at = new Date(event.created * 1000)
  const result = (about: PurchaseReference | null, payment: PaymentFact | null = null, trialEnding = false) => ({
    id: event.id,
    about,
    payment,
    trialEnding,
  })

  async function reversal(money: z.output<typeof Reversal>, kind: PaymentFact['kind'] | undefined) {
    const { about, paymentId } = await findPurchase(money.payment_intent)
    if (kind === undefined || paymentId === null) return result(about)
    return result(about, { kind, id: money.id, paymentId, ...toMoney(money, money.amount), occurredAt: at })
  }

  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const session = parseEvent(EventSession, object)
      const fact = session.payment_status === 'paid' ? oneTimePayment(session, 'succeeded', at) : null
      return result({ kind: 'page', id: session.id }, fact)
    }
    case 'checkout.session.async_payment_failed': {
      const session = parseEvent(EventSession, object)
      const fact = session.mode === 'payment' ? oneTimePayment(session, 'failed', at) : firstFailure(session, at)
      return result({ kind: 'page', id: session.id }, fact)
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.deleted':
      return result({ kind: 'subscription', id: parseEvent(EventSubscription, object).id })
    case 'subscription_schedule.created':
    case 'subscription_schedule.updated':
    case 'subscription_schedule.released': {
      const { subscription, released_subscription: released } = parseEvent(EventSchedule, object)
      const id = subscription ?? released
      return result(id === null ? null : { kind: 'subscription', id })
    }
    case 'customer.subscription.trial_will_end': {
      const { id, cancel_at_period_end: flag, cancel_at: end, trial_end: trialEnd } = parseEvent(EventTrial, object)
      // Stripe also sends it for a cancelled trial, which is not followed by a charge.
      const isCancelled = flag || (end !== null && (trialEnd === null || end <= trialEnd))
      return result({ kind: 'subscription', id }, null, !isCancelled)
    }
    case 'invoice.paid': {
      const invoice = parseEvent(EventInvoice, object)
      const fact = {
        kind: 'succeeded',
        id: invoice.id,
        ...toMoney(invoice, invoice.amount_paid),
        occurredAt: at,
        tax: invoiceTax(invoice),
        discount: invoiceDiscount(invoice),
        receiptUrl: invoice.hosted_invoice_url ?? undefined,
        ...periodPaid(invoice),
      } as const
      return result(subscriptionReference(invoice), invoice.amount_paid > 0 ? fact : null)
    }
    case 'invoice.payment_failed': {
      const invoice = parseEvent(EventInvoice, object)
      const { id, attempt_count: attempt } = invoice
      return result(
        subscriptionReference(invoice),
        failedAttempt(id, attempt, toMoney(invoice, invoice.amount_due), at),
      )
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed': {
      const refund = parseEvent(Reversal, object)
      return UNDER_WAY.includes(refund.status) ? result(null) : reversal(refund, REFUNDS[refund.status ?? ''])
    }
    case 'charge.dispute.created':
      return reversal(parseEvent(Reversal, object), 'disputed')
    case 'charge.dispute.closed': {
      const dispute = parseEvent(Reversal, object)
      return reversal(dispute, DISPUTE_DECISIONS[dispute.status ?? ''])
    }
    default:
      // The owner chooses which events Stripe sends. Other types are not about purchases.
      return result(null)
  }
}

async function verified(api: Stripe, secret: string, { headers, rawBody, now }: WebhookRequest): Promise<unknown> {
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
    // The signature is verified first. The SDK's other errors are about the signed content: invalid JSON, or a thin event.
    if (!(cause instanceof Stripe.errors.StripeSignatureVerificationError)) {
      throw new MalformedEvent('stripe: the signed body is not an event', { cause })
    }
    throw new InvalidSignature('stripe: invalid signature', { cause })
  }
}

/** The period of a renewal's invoice. It may also contain prorations of the previous one. */
function periodPaid({ billing_reason: reason, lines }: z.output<typeof EventInvoice>): Pick<PaymentFact, 'paysFor'> {
  const line = lines?.data.find((each) => each?.parent.subscription_item_details.proration === false)
  if (reason !== 'subscription_cycle' || !line) return {}
  return {
    paysFor: {
      from: line.period.start.toISOString(),
      processorPrice: line.pricing.price_details.price,
      quantity: line.quantity,
    },
  }
}

function invoiceTax({ amount_paid, total, total_taxes, currency }: z.output<typeof EventInvoice>): number | undefined {
  const all = total_taxes?.reduce((sum, { amount }) => sum + amount, 0)
  const tax = includedTax(amount_paid, { total, tax: all })
  return tax && fromStripe(tax, currency)
}

function invoiceDiscount(invoice: z.output<typeof EventInvoice>): number | undefined {
  const { amount_paid, total, total_discount_amounts, currency } = invoice
  const all = total_discount_amounts?.reduce((sum, { amount }) => sum + amount, 0)
  const discount = includedDiscount(amount_paid, { total, discount: all })
  return discount && fromStripe(discount, currency)
}

const toMoney = ({ currency }: { currency: string }, amount: number) => ({
  amount: fromStripe(amount, currency),
  currency,
})

/** Attempts of one invoice are counted, but not always that on a page. */
const failedAttempt = (
  invoice: string,
  attempt: number,
  money: Pick<PaymentFact, 'amount' | 'currency'>,
  occurredAt: Date,
): PaymentFact => ({
  kind: 'failed',
  id: `${invoice}:${Math.max(attempt, 1)}`,
  paymentId: invoice,
  ...money,
  occurredAt,
})

/** The first payment of a subscription, which its invoice may report as well, as its first attempt. */
function firstFailure(session: z.output<typeof EventSession>, occurredAt: Date): PaymentFact | null {
  const { invoice, amount_total: amount, currency } = session
  if (!invoice || !amount || !currency) return null
  return failedAttempt(invoice, 1, { amount: fromStripe(amount, currency), currency }, occurredAt)
}

/** The payment of a one-time purchase. A subscription's page has none here: its invoice has an event of its own. */
function oneTimePayment(
  session: z.output<typeof EventSession>,
  kind: 'succeeded' | 'failed',
  occurredAt: Date,
): PaymentFact | null {
  const { amount_total: total, total_details: details, currency } = session
  if (session.mode !== 'payment' || !total || !currency) return null
  const tax = includedTax(total, { total, tax: details?.amount_tax })
  return {
    kind,
    id: session.payment_intent ?? session.id,
    amount: fromStripe(total, currency),
    currency,
    occurredAt,
    ...(kind === 'succeeded' && tax !== undefined && { tax: fromStripe(tax, currency) }),
    ...(kind === 'succeeded' && details && { discount: fromStripe(details.amount_discount, currency) }),
  }
}
