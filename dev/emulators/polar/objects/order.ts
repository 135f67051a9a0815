import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, all } from '../../core/domain/context.ts'
import { nextChargeAt } from '../../core/domain/dues.ts'
import type { DisputeRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { type Sale, sumTotals } from '../../core/domain/sales.ts'
import type { Views } from '../../core/wire/views.ts'
import { toUuid } from '../accounts.ts'
import { findReversedOrder, madeAt, orderTax, refundable, refundedTax, refundedTotal } from '../orders.ts'
import { refundOwn, saleOwn } from '../own.ts'
import { renewals } from '../rules.ts'
import { findCustomer, productFields, subscriptionFields, toPriceId } from './selling.ts'
import { complete, since, stamped, timeOrNull } from './wire.ts'

/** `applied_balance_amount` is negative for an amount paid from the customer's balance. */
export function orderObject(order: Sale, context: AccountContext) {
  const { id, amount, price, subscription, reason, discount, tax, fromBalance } = order
  const made = since(madeAt(order))
  const { subtotal, total } = sumTotals(order)
  const { metadata, checkout_id } = saleOwn(order)
  const refunded = refundedTotal(context, order)
  const status = orderStatus(order, refunded)
  const paid = status !== 'pending' && status !== 'void'
  const left = refundable(context, order)
  const customer = findCustomer(context, order.customer)
  const shown = complete('order', {
    ...made,
    id,
    status,
    paid,
    currency: price.currency,
    description: price.label,
    metadata,
    subtotal_amount: subtotal,
    discount_amount: discount,
    net_amount: subtotal - discount,
    tax_amount: tax,
    total_amount: total,
    applied_balance_amount: -fromBalance,
    due_amount: amount,
    refunded_amount: refunded - refundedTax(context, order),
    refunded_tax_amount: refundedTax(context, order),
    refundable_amount: left.net,
    refundable_tax_amount: left.tax,
    billing_reason: reason === 'once' ? 'purchase' : `subscription_${reason}`,
    invoice_number: `ACME-${id.slice(0, 8).toUpperCase()}`,
    customer_id: customer.id,
    customer,
    checkout_id: reason === 'cycle' ? null : checkout_id,
    product_id: price.id,
    product: { ...productFields(context, price), metadata: {} },
    subscription_id: subscription?.id ?? null,
    subscription: subscription && subscriptionFields(subscription, context),
    next_payment_attempt_at: timeOrNull(nextAttempt(order)),
    items: order.lines.map((line, index) =>
      complete('item', {
        ...made,
        id: toUuid(`item ${id} ${index}`),
        label: line.price.label,
        amount: line.amount,
        product_price_id: toPriceId(line.price),
        proration: line.isProration,
      }),
    ),
  })
  // Nested objects have their own times.
  const { modified_at } = stamped(context, 'order', { ...shown, customer: null, subscription: null })
  return { ...shown, modified_at }
}

function orderStatus({ status, amount }: Sale, refunded: number): models.OrderStatus {
  if (status !== 'paid') return status === 'void' ? 'void' : 'pending'
  if (refunded === 0) return 'paid'
  return refunded < amount ? 'partially_refunded' : 'refunded'
}

/** When a failed charge is retried; null: never. */
function nextAttempt(order: Sale): number | null {
  const isRepeated = order.status === 'open' && order.attempts > 0 && !order.isGivenUp
  return isRepeated ? nextChargeAt(order, renewals()) : null
}

const REFUNDS: Partial<Record<RefundRecord['status'], models.RefundStatus>> = {
  refunded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
}

/** Payments, refunds and disputes. */
export const MONEY = {
  payments: ({ id, status, amount, currency }) => ({ id, status, amount, currency }),

  refunds(refund, context) {
    const { metadata, reason, dispute, tax } = refundOwn(refund)
    const { id: order_id, price, customer, subscription } = findReversedOrder(context, refund)
    const shown: models.Refund = {
      ...since(refund.created),
      id: refund.id,
      amount: refund.amount - tax,
      tax_amount: tax,
      currency: price.currency,
      organization_id: refund.account,
      order_id,
      customer_id: customer,
      metadata,
      reason,
      status: REFUNDS[refund.status] ?? 'pending',
      // A refund that prevents a dispute has no subscription, even if its order has.
      subscription_id: dispute === null ? (subscription?.id ?? null) : null,
      revoke_benefits: dispute !== null,
      dispute: dispute === null ? null : disputeObject({ ...refund, id: dispute, status: 'prevented' }, context),
    }
    return stamped(context, 'refund', shown)
  },

  disputes: wholeDispute,
} satisfies Views

const DISPUTES: Record<Disputed['status'], models.DisputeStatus> = {
  warning: 'early_warning',
  open: 'needs_response',
  won: 'won',
  lost: 'lost',
  closed: 'prevented',
  prevented: 'prevented',
}

type Disputed = Omit<DisputeRecord, 'account' | 'closedAt' | 'status'> & {
  status: DisputeRecord['status'] | 'prevented'
}

/** Newest first. Without `orders`: of all orders. See server/polar/dispute/endpoints.py. */
export const listOrderDisputes = (
  context: AccountContext,
  { orders }: { orders?: string[] | undefined },
): models.Dispute[] =>
  all(context, 'disputes')
    .toReversed()
    .map((dispute) => wholeDispute(dispute, context))
    .filter(({ order_id: order }) => orders?.includes(order) ?? true)

export function wholeDispute(dispute: DisputeRecord, context: AccountContext): models.Dispute {
  const customer = findCustomer(context, findReversedOrder(context, dispute).customer)
  return stamped(context, 'dispute', { ...disputeObject(dispute, context), customer, case_id: null })
}

function disputeObject(disputed: Disputed, context: AccountContext) {
  const { id, created, status } = disputed
  const order = findReversedOrder(context, disputed)
  const { id: order_id, price } = order
  const tax = orderTax(order, disputed.amount)
  const amount = disputed.amount - tax
  return complete('dispute', {
    ...since(created),
    id,
    amount,
    tax_amount: tax,
    currency: price.currency,
    order_id,
    payment_id: disputed.payment,
    status: DISPUTES[status],
    resolved: status === 'won' || status === 'lost',
    closed: status !== 'open' && status !== 'warning',
  })
}
