import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { DisputeRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { uuidOf } from '../accounts.ts'
import { orderOf, saleOf } from '../orders.ts'
import { refundOwn } from '../own.ts'
import { since } from './goods.ts'

const STATUS: Partial<Record<RefundRecord['status'], models.RefundStatus>> = {
  ...{ refunded: 'succeeded', failed: 'failed', canceled: 'canceled' },
}

export function refundObject(refund: RefundRecord, context: AccountContext): models.Refund {
  const { metadata, reason } = refundOwn(refund)
  return { ...fieldsOf(refund, context), metadata, reason, status: STATUS[refund.status] ?? 'pending', dispute: null }
}

/**
 * How a dispute is told: as a refund with a dispute, which succeeds when the dispute is lost. That this is how and when Polar
 * tells it is UNVERIFIED; the types have the dispute in the refund, and there is no event of its own.
 */
export function disputeRefundObject(dispute: DisputeRecord, context: AccountContext): models.Refund {
  const payment = find(context, 'payments', dispute.payment)
  const { id, created, amount, status } = dispute
  const closed = status !== 'open'
  return {
    ...fieldsOf({ ...dispute, id: uuidOf(`refund ${id}`) }, context),
    metadata: {},
    reason: 'dispute_prevention',
    status: status === 'won' ? 'canceled' : status === 'lost' ? 'succeeded' : 'pending',
    dispute: {
      ...since(created),
      ...{ id, amount, tax_amount: 0, currency: payment.currency },
      ...{ status: closed ? status : 'needs_response', resolved: closed, closed, reason: 'fraudulent' },
      ...{ evidence_due_by: null, past_due: false, order_id: orderOf(context, payment).id, payment_id: payment.id },
    },
  }
}

function fieldsOf(
  { id, created, amount, payment: paymentId }: Pick<RefundRecord, 'id' | 'created' | 'amount' | 'payment'>,
  context: AccountContext,
) {
  const payment = find(context, 'payments', paymentId)
  const order = orderOf(context, payment)
  return {
    ...since(created),
    ...{ id, amount, tax_amount: 0, currency: payment.currency, organization_id: context.account.id },
    ...{ order_id: order.id, subscription_id: saleOf(context, order).subscription?.id ?? null },
    ...{ customer_id: order.customer ?? '', revoke_benefits: false },
  }
}
