// Refunds at Mollie. Each is stored with our id of it in its metadata, by which a retry finds it: an idempotency key is kept for an hour only.
import * as z from 'zod'
import type { RefundOrder, RefundResult } from '../processor.ts'
import { type MollieApi, MollieApiError, parse } from './api.ts'
import { refundFact } from './facts.ts'
import { RefundablePayment, RefundInReply } from './objects.ts'
import { writeAmount } from './plan.ts'

/** See `ProcessorMethods.refundPayment`. */
export async function refundPayment(api: MollieApi, order: RefundOrder): Promise<RefundResult> {
  const payment = await read(api, order)
  const made = payment._embedded?.refunds?.find(
    ({ metadata }) => OfOurs.safeParse(metadata).data?.refund_id === order.id,
  )
  if (made) return toResult(made, order)
  if (payment.status !== 'paid') return { outcome: 'not_settled' }
  const left = amountLeft(payment)
  if (order.amount > left) return { outcome: 'too_large', left }
  return create(api, order)
}

const OfOurs = z.object({ refund_id: z.string() })

const path = ({ paymentId }: RefundOrder) => `/payments/${encodeURIComponent(paymentId)}`

const read = async (api: MollieApi, order: RefundOrder): Promise<RefundablePayment> =>
  parse(RefundablePayment, await api.get(`${path(order)}?embed=refunds`))

/** Mollie would return more than the payment: `amountRemaining` allows that for some methods. */
function amountLeft({ amount, amountRefunded, amountChargedBack }: RefundablePayment): number {
  return Math.max(0, amount.amount - (amountRefunded?.amount ?? 0) - (amountChargedBack?.amount ?? 0))
}

async function create(api: MollieApi, order: RefundOrder): Promise<RefundResult> {
  const { id, key, amount, currency } = order
  const body = { amount: writeAmount({ amount, currency }), metadata: { refund_id: id } }
  try {
    return toResult(parse(RefundInReply, await api.post(`${path(order)}/refunds`, body, key)), order)
  } catch (error) {
    if (!(error instanceof MollieApiError) || error.kind !== 'rejected') throw error
    // Another refund was made meanwhile.
    const left = amountLeft(await read(api, order))
    if (left < amount) return { outcome: 'too_large', left }
    throw error
  }
}

const toResult = (made: RefundInReply, order: RefundOrder): RefundResult => ({
  outcome: 'refunded',
  id: made.id,
  amount: made.amount.amount,
  fact: refundFact(made, order.paymentId),
})
