// Refunds at Polar. It has no idempotency keys, so each is stored with our id of it in its metadata, by which a retry finds it.
import type { PolarCore } from '@polar-sh/sdk/2026-10'
import { getOrders } from '@polar-sh/sdk/2026-10/services/orders'
import { createRefunds, listRefunds } from '@polar-sh/sdk/2026-10/services/refunds'
import { ProcessorError, type RefundOrder, type RefundResult } from '../processor.ts'
import { PolarRefusal, parse } from './api.ts'
import { toReversal } from './events.ts'
import { MadeRefund, MadeRefunds, RefundableOrder } from './objects.ts'

/** Maximum page size of Polar's lists. */
const LIMIT = 100

/** See `ProcessorMethods.refundPayment`. Polar takes the amount without its tax, which it adds. */
export async function refundPayment(api: PolarCore, order: RefundOrder): Promise<RefundResult> {
  const { items } = parse(MadeRefunds, await listRefunds(api)({ order_id: order.paymentId, limit: LIMIT }))
  const made = items.find(({ metadata }) => metadata.refund_id === order.id)
  if (made) return toResult(made)
  // Polar subtracts those that have succeeded.
  const underWay = items.filter(({ status }) => status === 'pending')
  const sold = await readOrder(api, order)
  const left = Math.max(0, totalLeft(sold) - underWay.reduce((sum, each) => sum + each.amount + each.tax_amount, 0))
  if (order.amount > left) return { outcome: 'too_large', left }
  return create(api, order, withoutTax(sold, order.amount))
}

const readOrder = async (api: PolarCore, { paymentId }: RefundOrder): Promise<RefundableOrder> =>
  parse(RefundableOrder, await getOrders(api)(paymentId))

const totalLeft = (order: RefundableOrder) => order.refundable_amount + order.refundable_tax_amount

/**
 * The largest amount without tax that returns at most `total`. Polar returns all of the remaining tax with all of the remaining amount, and
 * else the tax by its rate (`calculate_refunded_tax_from_subtotal` in server/polar/models/order.py): so one minor unit may be missing.
 */
function withoutTax(order: RefundableOrder, total: number): number {
  if (total === totalLeft(order)) return order.refundable_amount
  const rate = order.net_amount === 0 ? 0 : order.tax_amount / order.net_amount
  const returned = (amount: number) => amount + Math.min(roundHalfEven(amount * rate), order.refundable_tax_amount)
  let amount = Math.min(Math.ceil(total / (1 + rate)) + 1, order.refundable_amount - 1)
  while (amount > 0 && returned(amount) > total) amount -= 1
  if (amount < 1)
    throw new ProcessorError('polar', 'rejected', 'too little for a part of the payment', { answered: true })
  return amount
}

/** As Python rounds. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  if (value - floor !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

async function create(api: PolarCore, order: RefundOrder, amount: number): Promise<RefundResult> {
  const { id, paymentId } = order
  const body = { order_id: paymentId, amount, reason: 'other', metadata: { refund_id: id } } as const
  try {
    return toResult(parse(MadeRefund, await createRefunds(api)(body)))
  } catch (error) {
    if (!(error instanceof PolarRefusal)) throw error
    if (error.code === 'RefundedAlready') return { outcome: 'too_large', left: 0 }
    if (error.code === 'RefundDisputedPayment') return { outcome: 'disputed' }
    // Another refund was made meanwhile.
    const left = error.fields.includes('body.amount') ? totalLeft(await readOrder(api, order)) : order.amount
    if (left < order.amount) return { outcome: 'too_large', left }
    throw error
  }
}

function toResult(made: MadeRefund): RefundResult {
  const { id, amount, tax_amount: tax, created_at: at } = made
  return { outcome: 'refunded', id, amount: amount + tax, fact: toReversal(made, at) }
}
