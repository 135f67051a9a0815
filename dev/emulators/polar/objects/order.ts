import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import { nextChargeAt } from '../../core/domain/dues.ts'
import type { DisputeRecord, RefundRecord } from '../../core/domain/money-records.ts'
import type { Sale } from '../../core/domain/sales.ts'
import type { Views } from '../../core/wire/views.ts'
import { uuidOf } from '../accounts.ts'
import { givenBack, orderOfReversal } from '../orders.ts'
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
  const item = { id: uuidOf(`item ${id}`), label: price.label }
  return complete('order', {
    ...{ ...since(created), id, status, paid, currency: price.currency, description: price.label, metadata },
    ...{ subtotal_amount: amount, net_amount: amount, total_amount: amount, due_amount: amount },
    ...{ refunded_amount: refunded, refundable_amount: paid ? amount - refunded : 0 },
    billing_reason: reason === 'once' ? 'purchase' : `subscription_${reason}`,
    invoice_number: `ACME-${id.slice(0, 8).toUpperCase()}`,
    ...{ customer_id: customer.id, customer, checkout_id: reason === 'cycle' ? null : checkout_id },
    ...{ product_id: price.id, product: { ...productFields(context, price), metadata: {} } },
    ...{ subscription_id: subscription?.id ?? null, subscription: subscription && subscriptionFields(subscription) },
    next_payment_attempt_at: timeOrNull(nextAttempt(order)),
    items: [complete('item', { ...since(created), ...item, amount, product_price_id: priceIdOf(price) })],
  })
}

function orderStatus({ status, amount }: Sale, refunded: number): models.OrderStatus {
  if (status !== 'paid') return status === 'void' ? 'void' : 'pending'
  if (refunded === 0) return 'paid'
  return refunded < amount ? 'partially_refunded' : 'refunded'
}

/** When a charge that failed is repeated; null if it never is. */
function nextAttempt(order: Sale): number | null {
  const isRepeated = order.status === 'open' && order.attempts > 0 && order.attempts <= RENEWALS.retries.length
  return isRepeated ? nextChargeAt(order, RENEWALS) : null
}

const REFUNDS: Partial<Record<RefundRecord['status'], models.RefundStatus>> = {
  ...{ refunded: 'succeeded', failed: 'failed', canceled: 'canceled' },
}

/** How a purchase is paid, and what goes back of it. */
export const MONEY = {
  payments: ({ id, status, amount, currency }) => ({ id, status, amount, currency }),

  refunds(refund, context): models.Refund {
    const { metadata, reason, dispute } = refundOwn(refund)
    const { id: order_id, price, customer, subscription } = orderOfReversal(context, refund)
    return {
      ...{ ...since(refund.created), id: refund.id, amount: refund.amount, tax_amount: 0, currency: price.currency },
      ...{ organization_id: refund.account, order_id, customer_id: customer, metadata, reason },
      status: REFUNDS[refund.status] ?? 'pending',
      // The refund that prevents a dispute names no subscription, whatever its order is of.
      subscription_id: dispute === null ? (subscription?.id ?? null) : null,
      revoke_benefits: dispute !== null,
      dispute: dispute === null ? null : disputeObject({ ...refund, id: dispute, status: 'prevented' }, context),
    }
  },

  disputes: disputeObject,
} satisfies Views

type Disputed = Omit<DisputeRecord, 'account' | 'closedAt' | 'status'> & {
  status: DisputeRecord['status'] | 'prevented'
}

function disputeObject(disputed: Disputed, context: AccountContext) {
  const { id, created, amount, status } = disputed
  const { id: order_id, price } = orderOfReversal(context, disputed)
  return complete('dispute', {
    ...{ ...since(created), id, amount, currency: price.currency, order_id, payment_id: disputed.payment },
    status: status === 'open' ? 'needs_response' : status,
    ...{ resolved: status === 'won' || status === 'lost', closed: status !== 'open' },
  })
}
