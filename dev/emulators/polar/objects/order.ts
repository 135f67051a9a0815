import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { DisputeRecord, RefundRecord } from '../../core/domain/money-records.ts'
import type { Sale } from '../../core/domain/sales.ts'
import { uuidOf } from '../accounts.ts'
import { givenBack, orderOf } from '../orders.ts'
import { refundOwn, saleOwn } from '../own.ts'
import { RENEWALS } from '../rules.ts'
import { customerOf, priceIdOf, productFields, subscriptionFields } from './selling.ts'
import { complete, since, timeOrNull } from './wire.ts'

/** The emulator's orders have no taxes and no discounts. */
export function orderObject(order: Sale, context: AccountContext) {
  const { id, amount, created, price, subscription, reason } = order
  const { metadata, checkout_id } = saleOwn(order)
  const refunded = givenBack(context, order)
  const status = orderStatus(order, refunded)
  const paid = status !== 'pending' && status !== 'void'
  const customer = customerOf(context, order.customer)
  const item = { id: uuidOf(`item ${id}`), label: price.label, amount, tax_amount: 0, proration: false }
  const whenever = { start_timestamp: null, end_timestamp: null }
  return complete('order', {
    ...{ ...since(created), id, status, paid, currency: price.currency, description: price.label, metadata },
    ...{ subtotal_amount: amount, net_amount: amount, total_amount: amount, due_amount: amount },
    ...{ refunded_amount: refunded, refundable_amount: paid ? amount - refunded : 0 },
    billing_reason: reason === 'once' ? 'purchase' : `subscription_${reason}`,
    invoice_number: `ACME-${id.slice(0, 8).toUpperCase()}`,
    ...{
      customer_id: customer.id,
      customer,
      product_id: price.id,
      checkout_id: reason === 'cycle' ? null : checkout_id,
    },
    product: { ...productFields(context, price), metadata: {} },
    ...{ subscription_id: subscription?.id ?? null, subscription: subscription && subscriptionFields(subscription) },
    next_payment_attempt_at: timeOrNull(nextAttempt(order)),
    items: [{ ...since(created), ...item, product_price_id: priceIdOf(price), ...whenever }],
  })
}

function orderStatus({ status, amount }: Sale, refunded: number): models.OrderStatus {
  if (status !== 'paid') return status === 'void' ? 'void' : 'pending'
  if (refunded === 0) return 'paid'
  return refunded < amount ? 'partially_refunded' : 'refunded'
}

/** When a charge that failed is repeated; null if it never is. */
function nextAttempt({ status, attempts, created }: Sale): number | null {
  if (status !== 'open' || attempts === 0 || attempts > RENEWALS.retries.length) return null
  return [RENEWALS.draft, ...RENEWALS.retries.slice(0, attempts)].reduce((at, wait) => at + wait, created)
}

const REFUNDS: Partial<Record<RefundRecord['status'], models.RefundStatus>> = {
  ...{ refunded: 'succeeded', failed: 'failed', canceled: 'canceled' },
}

export function refundObject(refund: RefundRecord, context: AccountContext): models.Refund {
  const { metadata, reason, dispute } = refundOwn(refund)
  const { currency, order } = whatWentBack(refund, context)
  return {
    ...{ ...since(refund.created), id: refund.id, amount: refund.amount, tax_amount: 0, currency, metadata, reason },
    ...{ organization_id: context.account.id, order_id: order.id, customer_id: order.customer },
    status: REFUNDS[refund.status] ?? 'pending',
    // The refund that prevents a dispute names no subscription, whatever its order is of.
    subscription_id: dispute === null ? (order.subscription?.id ?? null) : null,
    revoke_benefits: dispute !== null,
    dispute: dispute === null ? null : disputeObject({ ...refund, id: dispute, status: 'prevented' }, context),
  }
}

type Disputed = Omit<DisputeRecord, 'account' | 'closedAt' | 'status'> & {
  status: DisputeRecord['status'] | 'prevented'
}

export function disputeObject(disputed: Disputed, context: AccountContext) {
  const { id, created, amount, status } = disputed
  const { currency, order } = whatWentBack(disputed, context)
  return complete('dispute', {
    ...{ ...since(created), id, amount, currency, order_id: order.id, payment_id: disputed.payment },
    status: status === 'open' ? 'needs_response' : status,
    ...{ resolved: status === 'won' || status === 'lost', closed: status !== 'open' },
  })
}

function whatWentBack({ payment: id }: { payment: string }, context: AccountContext) {
  const payment = find(context, 'payments', id)
  return { currency: payment.currency, order: orderOf(context, payment) }
}
