// Refunds at Stripe. Each is stored with our id of it in its metadata, by which a retry finds it.
import type Stripe from 'stripe'
import type * as z from 'zod'
import type { RefundOrder, RefundResult } from '../processor.ts'
import { parse } from './api.ts'
import { isRefused } from './charging.ts'
import { fromStripe, toStripe } from './definition.ts'
import { refundFact } from './events.ts'
import { InvoicePaymentIntents, MadeRefund, MadeRefunds, RefundablePayment } from './objects.ts'

/** Maximum page size of Stripe's lists. */
const LIMIT = 100

/** See `ProcessorMethods.refundPayment`. An invoice may be paid in parts: a refund is one of a part that it fits. */
export async function refundPayment(api: Stripe, order: RefundOrder): Promise<RefundResult> {
  let most = 0
  for (const intent of await paymentIntents(api, order.paymentId)) {
    const made = await findRefund(api, intent, order)
    if (made) return toResult(made, order)
    const left = await amountLeft(api, intent)
    if (left >= order.amount) return create(api, intent, order)
    most = Math.max(most, left)
  }
  return { outcome: 'too_large', left: most }
}

/** A payment of ours is an invoice, or the payment intent of a one-time purchase. */
async function paymentIntents(api: Stripe, paymentId: string): Promise<string[]> {
  if (!paymentId.startsWith('in_')) return [paymentId]
  const { data } = parse(InvoicePaymentIntents, await api.invoicePayments.list({ invoice: paymentId }))
  return data.flatMap(({ status, payment }) =>
    status === 'paid' && payment.payment_intent !== undefined ? [payment.payment_intent] : [],
  )
}

async function findRefund(api: Stripe, intent: string, { id }: RefundOrder): Promise<Made | undefined> {
  const { data } = parse(MadeRefunds, await api.refunds.list({ payment_intent: intent, limit: LIMIT }))
  return data.find(({ metadata }) => metadata?.refund_id === id)
}

type Made = z.output<typeof MadeRefund>

async function amountLeft(api: Stripe, intent: string): Promise<number> {
  const reply = await api.paymentIntents.retrieve(intent, { expand: ['latest_charge'] })
  const { currency, latest_charge: charge } = parse(RefundablePayment, reply)
  return charge === null ? 0 : fromStripe(charge.amount_captured - charge.amount_refunded, currency)
}

async function create(api: Stripe, intent: string, order: RefundOrder): Promise<RefundResult> {
  const { id, key, amount, currency } = order
  const parameters = { payment_intent: intent, amount: toStripe(amount, currency), metadata: { refund_id: id } }
  try {
    const reply = await api.refunds.create(parameters, { idempotencyKey: key })
    return toResult(parse(MadeRefund, reply), order)
  } catch (error) {
    if (!isRefused(error)) throw error
    if (error.code === 'charge_disputed') return { outcome: 'disputed' }
    // Another refund was made meanwhile. For an amount that is too large, Stripe has only a message and no code.
    const left = await amountLeft(api, intent)
    if (left < amount) return { outcome: 'too_large', left }
    throw error
  }
}

function toResult(made: Made, order: RefundOrder): RefundResult {
  const fact = refundFact(made, order.paymentId, made.created)
  return { outcome: 'refunded', id: made.id, amount: fromStripe(made.amount, made.currency), fact }
}
