import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { RefundRecord } from '../core/domain/money-records.ts'
import { refundedOf, refundPayment } from '../core/domain/reversals.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { forbidden, invalid } from './errors.ts'
import { findOrder, type OrderRecord, paymentOf, saleOf } from './orders.ts'
import { Metadata } from './own.ts'
import { uuid } from './parameters.ts'
import { revoke } from './subscriptions.ts'

export const RefundBody = z.strictObject({
  order_id: uuid,
  amount: z.int().positive(),
  reason: z.enum([
    ...(['duplicate', 'fraudulent', 'customer_request'] as const),
    ...(['service_disruption', 'satisfaction_guarantee', 'other'] as const),
  ]),
  comment: z.string().nullish(),
  revoke_benefits: z.boolean().default(false),
  metadata: Metadata.default({}),
})

export const createRefund = (context: AccountContext, body: z.output<typeof RefundBody>): RefundRecord =>
  refundOrder(context, findOrder(context, body.order_id), body.amount, { reason: body.reason, metadata: body.metadata })

/** Gives back an amount, or all that is left. */
export function refundOrder(context: AccountContext, order: OrderRecord, amount?: number, own = {}): RefundRecord {
  const payment = paymentOf(context, order)
  const left = payment === null ? 0 : payment.amount - refundedOf(context, payment)
  if (payment === null || left === 0) throw forbidden('RefundedAlready', `Order is already fully refunded: ${order.id}`)
  if ((amount ?? left) > left)
    throw invalid(['body', 'amount'], 'Refund amount exceeds remaining order balance.', amount)
  const status = context.isOn('slowRefunds') ? 'pending' : 'refunded'
  return refundPayment(context, payment, { amount: amount ?? left, own, status })
}

/** The buyer's bank asks for the money before there is a dispute, and gets it. */
export function preventDispute(context: AccountContext, order: OrderRecord): RefundRecord {
  const own = { reason: 'dispute_prevention', dispute: context.newId('disputes') }
  const refund = refundOrder(context, order, undefined, own)
  endDisputed(context, order)
  return refund
}

/** A dispute that is over, whoever has won, ends the subscription that it was about. */
export function endDisputed(context: AccountContext, order: OrderRecord): void {
  const { subscription } = saleOf(context, order)
  if (subscription !== null && !hasEnded(subscription)) revoke(context, subscription)
}
