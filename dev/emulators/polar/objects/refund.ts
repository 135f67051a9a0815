import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { DisputeRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { orderOf, saleOf } from '../orders.ts'
import { refundOwn } from '../own.ts'
import { since } from './goods.ts'

const STATUS: Partial<Record<RefundRecord['status'], models.RefundStatus>> = {
  ...{ refunded: 'succeeded', failed: 'failed', canceled: 'canceled' },
}

export function refundObject(refund: RefundRecord, context: AccountContext): models.Refund {
  const { id, created, amount, payment: paymentId, status } = refund
  const { metadata, reason, dispute } = refundOwn(refund)
  const payment = find(context, 'payments', paymentId)
  const order = orderOf(context, payment)
  const { subscription } = saleOf(context, order)
  return {
    ...since(created),
    ...{ id, amount, tax_amount: 0, currency: payment.currency, organization_id: context.account.id },
    ...{ order_id: order.id, customer_id: order.customer ?? '', metadata, reason, status: STATUS[status] ?? 'pending' },
    // The refund that prevents a dispute names no subscription, whatever its order is of.
    subscription_id: dispute === null && subscription ? subscription.id : null,
    revoke_benefits: dispute !== null,
    dispute: dispute === null ? null : disputeObject({ ...refund, id: dispute, status: 'prevented' }, context),
  }
}

type Disputed = Omit<DisputeRecord, 'account' | 'closedAt' | 'status'> & {
  status: DisputeRecord['status'] | 'prevented'
}

export function disputeObject(disputed: Disputed, context: AccountContext): models.RefundDispute {
  const { id, created, amount, status } = disputed
  const payment = find(context, 'payments', disputed.payment)
  return {
    ...since(created),
    ...{ id, amount, tax_amount: 0, currency: payment.currency, status: status === 'open' ? 'needs_response' : status },
    ...{ resolved: status === 'won' || status === 'lost', closed: status !== 'open', reason: 'fraudulent' },
    ...{ evidence_due_by: null, past_due: false, order_id: orderOf(context, payment).id, payment_id: payment.id },
  }
}
