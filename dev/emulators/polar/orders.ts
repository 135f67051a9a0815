import * as z from 'zod'
import { type AccountContext, find } from '../core/domain/context.ts'
import type { DisputeRecord, PaymentRecord, RefundRecord } from '../core/domain/money-records.ts'
import { closeDispute, isReversed, listRefunds, refundUpTo } from '../core/domain/reversals.ts'
import { allSales, type Sale, salePaidBy, sumTotals } from '../core/domain/sales.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { receiptAddress } from '../core/pages/receipt.ts'
import { RawResponse } from '../core/wire/raw-response.ts'
import { forbidden, invalid, noSuch, polarError } from './errors.ts'
import { MADE_RECEIPTS, Metadata, RefundReason, refundOwn } from './own.ts'
import { uuid } from './parameters.ts'
import { revoke } from './subscriptions.ts'

/*
 * At Polar every sale is an order. Its id is that of the invoice of a subscription's period, or of the payment of a one-time
 * purchase, which has no order before it is paid.
 */

/** Newest first. A period has no order before it is charged: `cycle` in server/polar/subscription/service.py leaves that to a job. */
export const allOrders = (context: AccountContext): Sale[] =>
  allSales(context)
    .filter(({ subscription, status }) => (subscription === null ? status === 'paid' : status !== 'draft'))
    .toReversed()
    .sort((one, other) => madeAt(other) - madeAt(one))

/**
 * When an order was created: that of a period by the job that charges it, and never before the period, which an act may begin ahead of the
 * clock.
 */
export const madeAt = ({ reason, created, payment, paidAt, period: [start] }: Sale) =>
  reason === 'cycle' ? Math.max(payment?.created ?? paidAt ?? created, start) : created

export function findOrder(context: AccountContext, id: string): Sale {
  const order = allOrders(context).find((each) => each.id === id)
  if (!order) throw noSuch('invoices', id)
  return order
}

/** The order that a payment paid. */
export function findOrderByPayment(context: AccountContext, payment: PaymentRecord): Sale {
  const order = salePaidBy(context, payment)
  if (!order) throw noSuch('payments', payment.id)
  return order
}

/** The order of a refund or dispute. */
export const findReversedOrder = (context: AccountContext, { payment }: Pick<RefundRecord, 'payment'>) =>
  findOrderByPayment(context, find(context, 'payments', payment))

/** The refunded amount of an order. Only completed refunds count; lost disputes do not change the order. */
export const refundedTotal = (context: AccountContext, order: Sale): number =>
  completedRefunds(context, order).reduce((sum, { amount }) => sum + amount, 0)

function completedRefunds(context: AccountContext, { payment, status }: Sale): RefundRecord[] {
  const refunds = payment === null || status !== 'paid' ? [] : listRefunds(context, payment)
  return refunds.filter(({ status }) => status === 'refunded')
}

/** The taxes in a part of an order's total. */
export const orderTax = (order: Sale, amount: number) =>
  order.tax === 0 ? 0 : Math.round((amount * order.tax) / sumTotals(order).total)

/** The taxes in the refunded amount of an order: `refunded_tax_amount` in server/polar/models/order.py. */
export const refundedTax = (context: AccountContext, order: Sale): number =>
  completedRefunds(context, order).reduce((sum, refund) => sum + refundOwn(refund).tax, 0)

/**
 * The receipt of an order. The first request for it starts a job that makes the PDF, and is answered 202 without a body, like those until it
 * is made: here the next one finds it (`get_order_receipt` and `get_pdf_url_or_status` in server/polar/order and server/polar/receipt).
 */
export function readReceipt(context: AccountContext, order: Sale): object {
  const { id, status } = order
  if (status !== 'paid') throw polarError(404, 'ReceiptNotAllocated', `No receipt allocated for order ${id}.`)
  const made = MADE_RECEIPTS.read(context)
  if (made.includes(id)) return { url: receiptAddress(context, order) }
  MADE_RECEIPTS.set(context.records, context.account.id, [...made, id])
  return new RawResponse(202)
}

export const RefundBody = z.strictObject({
  order_id: uuid,
  amount: z.int().positive(),
  reason: RefundReason,
  comment: z.string().nullish(),
  revoke_benefits: z.boolean().default(false),
  metadata: Metadata.default({}),
})

export function createRefund(context: AccountContext, body: z.output<typeof RefundBody>): RefundRecord {
  const { order_id: id, amount, reason, metadata } = body
  return refundOrder(context, findOrder(context, id), amount, { reason, metadata })
}

/**
 * Refunds an amount and its taxes, by default all that is left. Polar compares it with what no completed refund has returned, and Stripe
 * refuses what exceeds the charge, or is disputed (`create` in server/polar/refund/service.py).
 */
export function refundOrder(context: AccountContext, order: Sale, amount?: number, own = {}): RefundRecord {
  const { id, payment } = order
  const refuse = (left: number) =>
    left === 0
      ? forbidden('RefundedAlready', `Order is already fully refunded: ${id}`)
      : invalid(['body', 'amount'], 'Refund amount exceeds refundable amount', amount)
  if (payment === null) throw refuse(0)
  if (isReversed(context, payment)) {
    throw forbidden('RefundDisputedPayment', `Refund cannot be issued for order with disputed payment: ${id}`)
  }
  const left = refundable(context, order)
  const net = amount ?? left.net
  if (left.net + left.tax === 0 || net > left.net) throw refuse(left.net)
  const tax = net === left.net ? left.tax : Math.min(taxIn(order, net), left.tax)
  return refundUpTo(context, payment, { amount: net + tax, own: { ...own, tax } }, refuse)
}

/** What is left of an order, without its tax, and of the tax: `refundable_amount` in server/polar/models/order.py. */
export function refundable(context: AccountContext, order: Sale): { net: number; tax: number } {
  if (order.status !== 'paid') return { net: 0, tax: 0 }
  const [refunded, refundedInTax] = [refundedTotal(context, order), refundedTax(context, order)]
  const net = Math.max(0, order.amount - order.tax - (refunded - refundedInTax))
  return { net, tax: Math.max(0, order.tax - refundedInTax) }
}

/** The tax of a part of an order, rounded as Python does: `calculate_refunded_tax_from_subtotal` in server/polar/models/order.py. */
function taxIn(order: Sale, amount: number): number {
  if (order.tax === 0) return 0
  const tax = amount * (order.tax / (sumTotals(order).total - order.tax))
  const floor = Math.floor(tax)
  return tax - floor === 0.5 ? floor + (floor % 2) : Math.round(tax)
}

/** Refunds a payment after an inquiry by the buyer's bank, before it becomes a dispute. */
export function preventDispute(context: AccountContext, payment: PaymentRecord): RefundRecord {
  const order = findOrderByPayment(context, payment)
  const own = { reason: 'dispute_prevention', dispute: context.newId('disputes') }
  const refund = refundOrder(context, order, undefined, own)
  endDisputed(context, order)
  return refund
}

export function endDispute(context: AccountContext, dispute: DisputeRecord, won: boolean): DisputeRecord {
  closeDispute(context, dispute, won)
  endDisputed(context, findReversedOrder(context, dispute))
  return dispute
}

/** The end of a dispute, whoever won, ends its subscription. */
function endDisputed(context: AccountContext, { subscription }: Sale): void {
  if (subscription !== null && !hasEnded(subscription)) revoke(context, subscription)
}
