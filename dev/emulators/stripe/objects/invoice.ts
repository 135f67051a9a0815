import { invoiceNumber } from '../../core/domain/invoices.ts'
import type { InvoiceRecord } from '../../core/domain/money-records.ts'
import { same } from '../../core/wire/same.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { subscriptionOwn } from '../own.ts'
import { DRAFT_SECONDS, RETRY_SECONDS } from '../rules.ts'
import { productId } from './price.ts'
import { complete, listOf } from './wire.ts'

export function invoiceObject(invoice: InvoiceRecord) {
  const { id, amount, attempts, created, status, subscription } = invoice
  const paid = status === 'paid'
  const closed = paid || status === 'void'
  const finalizes = status === 'draft' ? created + DRAFT_SECONDS : null
  const finalizedAt = finalizes === null ? created : null
  return complete('invoice', {
    ...snakeFields(invoice, 'id', 'created', 'customer', 'status'),
    ...same(amount, 'amount_due subtotal subtotal_excluding_tax total total_excluding_tax'),
    ...same(created, 'period_end period_start webhooks_delivered_at'),
    account_name: invoice.seller,
    amount_paid: paid ? amount : 0,
    amount_remaining: paid ? 0 : amount,
    attempt_count: attempts,
    attempted: attempts > 0,
    auto_advance: !closed,
    automatically_finalizes_at: finalizes,
    billing_reason: invoice.reason === 'create' ? 'subscription_create' : 'subscription_cycle',
    currency: invoice.price.currency,
    customer_email: invoice.email,
    effective_at: finalizedAt,
    lines: listOf(`/v1/invoices/${id}/lines`, [lineObject(invoice)]),
    next_payment_attempt: closed ? null : (finalizes ?? created + attempts * RETRY_SECONDS),
    number: finalizes === null ? invoiceNumber(invoice) : null,
    parent: { subscription_details: { metadata: metadataOf(invoice), subscription } },
    status_transitions: { finalized_at: finalizedAt, paid_at: invoice.paidAt },
  })
}

/** The object that links an invoice to the payment intent that pays it. An invoice over nothing has none. */
export function invoicePayments(invoice: InvoiceRecord) {
  const { id, amount, payment, paidAt } = invoice
  if (payment === null) return []
  const paid = invoice.status === 'paid'
  return [
    complete('invoice_payment', {
      ...snakeFields(invoice, 'created'),
      id: `inpay_${id.slice(3)}`,
      amount_paid: paid ? amount : null,
      amount_requested: amount,
      currency: invoice.price.currency,
      invoice: id,
      payment: { payment_intent: payment },
      status: paid ? 'paid' : 'open',
      status_transitions: { paid_at: paidAt },
    }),
  ]
}

const metadataOf = ({ own }: InvoiceRecord) => subscriptionOwn({ own }).metadata

function lineObject(invoice: InvoiceRecord) {
  const { id, price, quantity, subscription } = invoice
  return complete('line_item', {
    ...snakeFields(invoice, 'amount', 'quantity', 'subscription'),
    id: `il_${id.slice(3)}`,
    currency: price.currency,
    description: `${quantity} × ${price.label}`,
    invoice: id,
    metadata: metadataOf(invoice),
    parent: { subscription_item_details: { subscription, subscription_item: `si_${subscription.slice(4)}` } },
    period: { end: invoice.periodEnd, start: invoice.periodStart },
    pricing: {
      price_details: { price: price.id, product: productId(price) },
      unit_amount_decimal: String(price.amount),
    },
    quantity_decimal: String(quantity),
    subtotal: invoice.amount,
  })
}
