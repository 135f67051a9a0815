import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { uuidOf } from '../accounts.ts'
import { givenBack, isInvoice, type OrderRecord, saleOf } from '../orders.ts'
import { RENEWALS, timeOrNull, timeText } from '../rules.ts'
import { customerOf } from './customer.ts'
import { priceIdOf, productFields } from './product.ts'
import { subscriptionFields } from './subscription.ts'

/** The emulator's orders have no taxes and no discounts. */
export function orderObject(order: OrderRecord, context: AccountContext): models.Order {
  const { price, subscription, metadata, checkoutId } = saleOf(context, order)
  const { id, amount, created } = order
  const refunded = givenBack(context, order)
  const status = orderStatus(order, refunded)
  const paid = status !== 'pending' && status !== 'void'
  const customer = customerOf(context, order.customer ?? '')
  return {
    ...nulls('modified_at billing_name billing_address receipt_number seats units discount_id discount'),
    id,
    created_at: timeText(created),
    status,
    paid,
    subtotal_amount: amount,
    discount_amount: 0,
    net_amount: amount,
    tax_amount: 0,
    total_amount: amount,
    applied_balance_amount: 0,
    due_amount: paid ? 0 : amount,
    refunded_amount: refunded,
    refunded_tax_amount: 0,
    currency: price.currency,
    billing_reason: isInvoice(order) ? `subscription_${order.reason}` : 'purchase',
    invoice_number: `ACME-${id.slice(0, 8).toUpperCase()}`,
    is_invoice_generated: false,
    customer_id: customer.id,
    product_id: price.id,
    subscription_id: subscription?.id ?? null,
    checkout_id: checkoutId,
    next_payment_attempt_at: timeOrNull(nextAttempt(order)),
    metadata,
    custom_field_data: {},
    platform_fee_amount: 0,
    platform_fee_currency: null,
    customer,
    product: { ...productFields(context, price), metadata: {} },
    subscription: subscription && subscriptionFields(subscription),
    items: [
      {
        ...{ created_at: timeText(created), modified_at: null, id: uuidOf(`item ${id}`), label: price.label },
        ...{ amount, tax_amount: 0, proration: false, product_price_id: priceIdOf(price) },
        start_timestamp: isInvoice(order) ? timeText(order.periodStart) : null,
        end_timestamp: isInvoice(order) ? timeText(order.periodEnd) : null,
      },
    ],
    description: price.label,
    refundable_amount: paid ? amount - refunded : 0,
    refundable_tax_amount: 0,
  }
}

function orderStatus(order: OrderRecord, refunded: number): models.OrderStatus {
  if (isInvoice(order) && order.status !== 'paid') return order.status === 'void' ? 'void' : 'pending'
  if (refunded === 0) return 'paid'
  return refunded < order.amount ? 'partially_refunded' : 'refunded'
}

/** When a charge that failed is repeated; null if it never is. */
function nextAttempt(order: OrderRecord): number | null {
  if (!isInvoice(order) || order.status !== 'open' || order.attempts === 0) return null
  if (order.attempts > RENEWALS.retries.length) return null
  return [RENEWALS.draft, ...RENEWALS.retries.slice(0, order.attempts)].reduce((at, wait) => at + wait, order.created)
}
