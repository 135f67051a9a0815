import { type AccountContext, all, find } from '../core/domain/context.ts'
import type { InvoiceRecord, PaymentRecord } from '../core/domain/money-records.ts'
import { refundsOf } from '../core/domain/reversals.ts'
import { priceOf } from './accounts.ts'
import { noSuch } from './errors.ts'
import { paymentOwn, subscriptionOwn } from './own.ts'

/**
 * At Polar everything that is sold is an order. Here an order is the invoice of a subscription's period, or the payment of a
 * one-time purchase, and has its id.
 */
export type OrderRecord = InvoiceRecord | PaymentRecord

export const isInvoice = (order: OrderRecord): order is InvoiceRecord => 'subscription' in order && 'reason' in order

/** The newest first. A payment that is not paid yet has no order. */
export const allOrders = (context: AccountContext): OrderRecord[] =>
  [...all(context, 'invoices'), ...all(context, 'payments').filter(isPurchase)].toReversed().sort(newestFirst)

const newestFirst = (one: OrderRecord, other: OrderRecord) => other.created - one.created

const isPurchase = (payment: PaymentRecord) => paymentOwn(payment).productId !== null && payment.status === 'paid'

export function findOrder(context: AccountContext, id: string): OrderRecord {
  const order = allOrders(context).find((each) => each.id === id)
  if (!order) throw noSuch('invoices', id)
  return order
}

/** The order that a payment paid. */
export const orderOf = (context: AccountContext, payment: PaymentRecord): OrderRecord =>
  all(context, 'invoices').find((invoice) => invoice.payment === payment.id) ?? payment

export const paymentOf = (context: AccountContext, order: OrderRecord): PaymentRecord | null => {
  if (!isInvoice(order)) return order
  return order.payment === null || order.status !== 'paid' ? null : find(context, 'payments', order.payment)
}

/** What went back of an order, by refunds that have succeeded. A dispute that was lost leaves the order as it is. */
export function givenBack(context: AccountContext, order: OrderRecord): number {
  const payment = paymentOf(context, order)
  const refunds = payment === null ? [] : refundsOf(context, payment)
  return refunds.filter(({ status }) => status === 'refunded').reduce((sum, { amount }) => sum + amount, 0)
}

/** What an order is of, and where it came from. */
export function saleOf(context: AccountContext, order: OrderRecord) {
  if (isInvoice(order)) {
    const subscription = find(context, 'subscriptions', order.subscription)
    const { metadata, checkoutId } = subscriptionOwn(subscription)
    return { price: order.price, subscription, metadata, checkoutId: order.reason === 'create' ? checkoutId : null }
  }
  const { metadata, checkoutId, productId } = paymentOwn(order)
  const price = priceOf(context.account, productId ?? '', order.currency) ?? {
    ...{ id: productId ?? '', label: order.description, currency: order.currency, amount: order.amount },
    ...{ interval: null, intervalCount: null },
  }
  return { price, subscription: null, metadata, checkoutId }
}
