import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { uuidOf } from '../accounts.ts'
import { givenBack, isInvoice, type OrderRecord, saleOf } from '../orders.ts'
import { RENEWALS, timeOrNull } from '../rules.ts'
import { customerOf, priceIdOf, productFields, since } from './goods.ts'
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
    ...nulls('billing_name billing_address receipt_number seats units discount_id discount platform_fee_currency'),
    ...since(created),
    ...{ id, status, paid, currency: price.currency, description: price.label, metadata },
    ...{ subtotal_amount: amount, discount_amount: 0, net_amount: amount, tax_amount: 0, total_amount: amount },
    ...{ applied_balance_amount: 0, due_amount: amount, platform_fee_amount: 0 },
    ...{ refunded_amount: refunded, refunded_tax_amount: 0 },
    ...{ refundable_amount: paid ? amount - refunded : 0, refundable_tax_amount: 0 },
    billing_reason: isInvoice(order) ? `subscription_${order.reason}` : 'purchase',
    ...{ invoice_number: `ACME-${id.slice(0, 8).toUpperCase()}`, is_invoice_generated: false },
    ...{ customer_id: customer.id, customer, product_id: price.id, checkout_id: checkoutId },
    product: { ...productFields(context, price), metadata: {} },
    ...{ subscription_id: subscription?.id ?? null, subscription: subscription && subscriptionFields(subscription) },
    next_payment_attempt_at: timeOrNull(nextAttempt(order)),
    items: [
      {
        ...since(created),
        ...{ id: uuidOf(`item ${id}`), label: price.label, amount, tax_amount: 0, proration: false },
        ...{ product_price_id: priceIdOf(price), start_timestamp: null, end_timestamp: null },
      },
    ],
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
